import Testing

@testable import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct JsonValueTests {
    let text =
        #" {"name":"A\u0064a","age":36,"tags":["x",null,true],"big":18446744073709551615,"pi":3.25,"in":{"a":1}} "#

    @Test func parsedAndBuiltValuesCompareByMeaning() throws {
        let built: Json = [
            "age": 36, "name": "Ada", "pi": 3.25, "tags": ["x", nil, true], "in": ["a": 1], "big": Json(UInt64.max),
        ]
        let parsed = try Json(parsing: text)
        #expect(parsed == built)
        #expect(parsed.hashValue == built.hashValue)
        #expect(Set([parsed, built]).count == 1)
        var other = built
        other["age"] = 37
        #expect(parsed != other)
    }

    @Test(arguments: [
        ("1", "1.0"), ("1", "1e0"), ("100", "1e2"), ("0", "-0"), ("0", "0e99"), ("0.1", "1e-1"), ("12.50", "12.5"),
        ("1e400", "10e399"),
        ("123456789012345678901234567890", "123456789012345678901234567890.0"),
    ])
    func numbersCompareByTheirMathematicalValue(first: String, second: String) throws {
        #expect(try Json(parsing: first) == Json(parsing: second))
        #expect(try Json(parsing: first).hashValue == Json(parsing: second).hashValue)
    }

    @Test(arguments: [
        ("1", "1.1"), ("1", "-1"), ("9007199254740993", "9007199254740992"), ("1", "\"1\""), ("null", "0"),
        ("null", "false"), ("[]", "{}"),
        ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("{\"a\":1}", "{\"a\":1,\"b\":1}"), ("\"\u{E9}\"", "\"e\u{301}\""),
        ("1e99999999999999999999", "1"),
    ])
    func otherValuesDiffer(first: String, second: String) throws {
        #expect(try Json(parsing: first) != Json(parsing: second))
    }

    @Test func membersAreFoundByKeyAndElementsByIndex() throws {
        let json = try Json(parsing: text)
        #expect(json["name"]?.string == "Ada")
        #expect(json["age"]?.int == 36)
        #expect(json["tags"]?[0] == "x")
        #expect(json["tags"]?[1]?.isNull == true)
        #expect(json["tags"]?[2]?.bool == true)
        #expect(json["tags"]?[3] == nil)
        #expect(json["tags"]?[-1] == nil)
        #expect(json["in"]?["a"] == 1)
        #expect(json["missing"] == nil)
        #expect(json[0] == nil)
        #expect(json["name"]?["x"] == nil)
        #expect(json.count == 6)
        #expect(json["tags"]?.count == 3)
        #expect(json["age"]?.count == 0)
        #expect(json.members.map(\.key) == ["name", "age", "tags", "big", "pi", "in"])
        #expect(json.object?["pi"] == 3.25)
        #expect(json["tags"]?.array == ["x", nil, true])
    }

    @Test func numbersSurvive() throws {
        let json = try Json(
            parsing:
                "[9223372036854775807,-9223372036854775808,18446744073709551615,12345678901234567890.125,1.0,1e2,1.5,1e400]"
        )
        #expect(json[0]?.integer(Int64.self) == .max)
        #expect(json[1]?.integer(Int64.self) == .min)
        #expect(json[1]?.integer(UInt64.self) == nil)
        #expect(json[2]?.integer(UInt64.self) == .max)
        #expect(json[2]?.integer(Int64.self) == nil)
        #expect(json[2]?.integer(UInt128.self) == UInt128(UInt64.max))
        #expect(json[3]?.decimal == Decimal(string: "12345678901234567890.125"))
        #expect(try Json(parsing: "1e999").decimal == nil)
        #expect(json[3]?.numberText == "12345678901234567890.125")
        #expect(json[4]?.int == 1)
        #expect(json[5]?.int == 100)
        #expect(json[6]?.int == nil)
        #expect(json[6]?.double == 1.5)
        #expect(json[7]?.double == nil)
        #expect(json[7]?.int == nil)
        #expect(Json(Int128.max).numberText == Int128.max.description)
        #expect(Json(Double.nan) == nil)
        #expect(Json(Decimal(string: "0.1") ?? 0).numberText == "0.1")
    }

    @Test func theLastOfDuplicateKeysCounts() throws {
        let json = try Json(parsing: #"{"a":1,"b":2,"a":3,"\u0062":4}"#)
        #expect(json["a"] == 3)
        #expect(json["b"] == 4)
        #expect(json.count == 4)
        #expect(json.members.map(\.key) == ["a", "b", "a", "b"])
        #expect(json == ["a": 3, "b": 4])
        #expect(try json.decode([String: Int].self) == ["a": 3, "b": 4])
        struct Pair: Decodable { let a: Int, b: Int }
        let pair = try json.decode(Pair.self)
        #expect(pair.a == 3)
        #expect(pair.b == 4)
        let plain = try Json(parsing: #"{"a":1,"b":2,"a":3,"b":4}"#).decode(Pair.self)
        #expect(plain.a == 3)
        #expect(plain.b == 4)
    }

    @Test func bytesThatCameInGoOutUnchanged() throws {
        #expect(try Json(parsing: text).data == Data(text.utf8))
        #expect(try Json(parsing: text).decode(Json.self).data == Data(text.utf8))
        #expect(try Json(parsing: text)["in"]?.data == Data(#"{"a":1}"#.utf8))
        #expect(try Json(parsing: text)["name"]?.data == Data(#""A\u0064a""#.utf8))
        struct Model: Encodable { let b = 1, a = "/" }
        #expect(try Json(encoding: Model()).data == JsonEncoder().encode(Model()))
    }

    @Test func aLiteralOfMixedValuesIsEncoded() throws {
        struct Model: Encodable { let b = 1 }
        let (name, team) = ("Ada", nil as String?)
        let json = try Json(encoding: ["name": name, "tags": ["a"], "model": Model(), "team": team, "none": nil])
        #expect(json == ["name": "Ada", "tags": ["a"], "model": ["b": 1], "team": nil, "none": nil])
        #expect(throws: EncodingError.self) { try Json(encoding: ["a": Double.nan, "b": "c"]) }
    }

    @Test func descriptionIsCompactJson() throws {
        #expect(
            try Json(parsing: " [ 1.50 , { \"a\" : \"/\\n\" , \"b\" : [ ] } , { } , null ] ").description
                == #"[1.50,{"a":"/\n","b":[]},{},null]"#)
        let built: Json = ["z": 1, "a": [true, nil, "é\"\u{1}"], "e": [:]]
        #expect(built.description == #"{"z":1,"a":[true,null,"é\"\u0001"],"e":{}}"#)
        #expect(Json().description == "{}")
    }

    @Test func formatsApplyToBuiltAndParsedValuesAlike() throws {
        let text = #"{"b":[1,{}],"a":{"d":"/","c":[]}}"#
        let built: Json = ["b": [1, [:]], "a": ["d": "/", "c": []]]
        struct Model: Encodable {
            let b: [Json] = [1, [:]]
            let a: Json = ["d": "/", "c": []]
        }
        for format: JsonEncoder.OutputFormatting in [
            [.prettyPrinted, .withoutEscapingSlashes], [.prettyPrinted, .sortedKeys], .sortedKeys, [],
        ] {
            let foundation = JSONEncoder()
            foundation.outputFormatting = JSONEncoder.OutputFormatting(rawValue: format.rawValue)
            var own = JsonEncoder()
            own.outputFormatting = format
            if format.contains(.sortedKeys) {
                #expect(try built.serialized(format) == foundation.encode(Model()))
                #expect(try own.encode(Model()) == foundation.encode(Model()))
                #expect(try Json(parsing: text).serialized(format) == foundation.encode(Model()))
            } else {
                #expect(
                    try Json(parsing: text).serialized(format).count == foundation.encode(Model()).count
                        - (format.contains(.withoutEscapingSlashes) ? 0 : 1))
                #expect(try Json(parsing: built.serialized(format)) == built)
            }
        }
    }

    @Test func membersChangeInTheirPlace() throws {
        for json in [try Json(parsing: #"{"a":1,"b":{"c":[1,2]}}"#), ["a": 1, "b": ["c": [1, 2]]]] {
            var json = json
            json["a"] = "x"
            json["b"]?["c"]?[0] = nil
            json["b"]?["c"]?[1] = 9
            json["b"]?["c"]?.append(10)
            json["d"] = .null
            #expect(json.description == #"{"a":"x","b":{"c":[2,9,10]},"d":null}"#)
            json["a"] = nil
            #expect(json.members.map(\.key) == ["b", "d"])
        }
        var null = Json.null
        null["a"] = 1
        #expect(null == ["a": 1])
        var number: Json = 1
        number["a"] = 1
        number[0] = 1
        number.append(1)
        #expect(number == 1)
        var array: Json = [1]
        array[5] = 1
        array[1] = 2
        #expect(array == [1, 2])
    }

    @Test func manyMembersKeepOrderAndAreFound() {
        var json = Json()
        for index in 0..<100 { json["k\(index)"] = Json(index) }
        json["k50"] = nil
        #expect(json.count == 99)
        #expect(json["k99"] == 99)
        #expect(json["k50"] == nil)
        #expect(json.members.map(\.value.int) == (0..<100).filter { $0 != 50 })
    }

    @Test func jsonGoesThroughForeignCoders() throws {
        let json = try Json(parsing: text)
        #expect(try JSONDecoder().decode(Json.self, from: Data(text.utf8)) == json)
        #expect(try Json(parsing: JSONEncoder().encode(json)) == json)
        #expect(try JSONDecoder().decode([String: Json].self, from: Data("{}".utf8)) == [:])
    }

    @Test func jsonCanBeAllOfATypeOrMembersBesideItsOwn() throws {
        struct Whole: Codable {
            let json: Json
            init(from decoder: any Decoder) throws { json = try Json(from: decoder) }
            func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
        }
        struct Beside: Encodable {
            let id = 1
            let rest: Json
            enum Keys: CodingKey { case id }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(id, forKey: .id)
                try rest.encode(to: encoder)
            }
        }
        let text = #"[{"a":1.50},1e400,"\u0061"]"#
        let whole = try JsonDecoder().decode(Whole.self, from: Data(text.utf8))
        #expect(String(decoding: try JsonEncoder().encode(whole), as: UTF8.self) == text)
        #expect(
            String(decoding: try JsonEncoder().encode([Beside(rest: ["x": [2]])]), as: UTF8.self)
                == #"[{"id":1,"x":[2]}]"#)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(whole) }
    }

    @Test func partsOfADocumentOutliveIt() throws {
        struct Part: Decodable { let tags: Json }
        var part: Part? = try JsonDecoder().decode(Part.self, from: Data(text.utf8))
        let tags = part?.tags
        part = nil
        #expect(tags?.description == #"["x",null,true]"#)
        #expect(tags?.data == Data(#"["x",null,true]"#.utf8))
    }
}
