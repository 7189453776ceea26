import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Of members with the same key the last one counts, in whatever order, and how often, a type reads or writes them.
struct FastRepeatedKeyTests {
    private func read<Value: JsonReadable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JsonDecoder().decode(type, from: Data(text.utf8))
    }

    // MARK: - Reading

    private struct Roles: JsonReadable {
        let first, second: String

        init(json: inout JsonInput) throws {
            first = try json["role"]
            second = try json["role"]
        }
    }

    private struct Triple: JsonReadable {
        let values: [Int]

        init(json: inout JsonInput) throws {
            values = [try json["a"], try json["b"], try json["a"]]
        }
    }

    @Test(arguments: [
        #"{"role":"member","role":"admin"}"#, #"{"role":"member","role":"\u0061dmin"}"#,
        #"{"role":"member","r\u006fle":"admin"}"#, #"{"role":[],"role":{},"role":"admin"}"#,
    ])
    func aKeyThatIsReadTwice(text: String) throws {
        let roles = try read(Roles.self, text)
        #expect(roles.first == "admin" && roles.second == "admin")
    }

    @Test func aKeyThatIsReadTwiceWithAnotherBetween() throws {
        #expect(try read(Triple.self, #"{"a":1,"b":2,"a":3}"#).values == [3, 2, 3])
        #expect(try read(Triple.self, #"{"a":1,"b":2,"a":3,"c":4}"#).values == [3, 2, 3])
        #expect(try read(Triple.self, #"{"a":1,"b":2}"#).values == [1, 2, 1])
    }

    private struct Extra: JsonReadable {
        let id: Int, extra: [String: Int]

        init(json: inout JsonInput) throws {
            id = try json["id"]
            extra = try [String: Int](json: &json)
        }
    }

    private struct ExtraFirst: JsonReadable {
        let id: Int, extra: [String: Int], numbers: [Key: Int]

        struct Key: Hashable, CodingKeyRepresentable, JsonReadable {
            let codingKey: any CodingKey
            init?(codingKey: some CodingKey) { self.codingKey = codingKey }
            init(json: inout JsonInput) throws { throw json.dataCorrupted("not a value") }
            static func == (left: Key, right: Key) -> Bool { left.codingKey.stringValue == right.codingKey.stringValue }
            func hash(into hasher: inout Hasher) { hasher.combine(codingKey.stringValue) }
        }

        init(json: inout JsonInput) throws {
            extra = try [String: Int](json: &json)
            numbers = try [Key: Int](json: &json)
            id = try json["id"]
        }
    }

    @Test(arguments: [#"{"id":1,"id":2}"#, #"{"id":1,"id":"x","id":2}"#, #"{"id":1,"i\u0064":2}"#])
    func aDictionaryOfAnObjectWhoseMembersAreReadToo(text: String) throws {
        let extra = try read(Extra.self, text)
        #expect(extra.id == 2 && extra.extra == ["id": 2])
        let first = try read(ExtraFirst.self, text)
        #expect(first.id == 2 && first.extra == ["id": 2] && first.numbers.map(\.value) == [2])
    }

    /// The value of a key that a dictionary has twice and that doesn't count need not be one.
    @Test func aMemberOfADictionaryThatDoesNotCount() throws {
        let data = Data(#"{"a":"x","b":2,"a":1}"#.utf8)
        #expect(try JsonDecoder().decode([String: Int].self, from: data) == ["a": 1, "b": 2])
        #expect(try read([String: [Int]].self, #"{"a":1,"b":[2],"a":[1]}"#) == ["a": [1], "b": [2]])
        #expect(try read([String: FastPart<Fast>].self, #"{"a":1,"a":{"part \"name\"\n":"n","weight":1}}"#).count == 1)
        struct Plain: Codable { let a: [String: Item], b: [String: String], c: [String: Double] }
        struct Item: Codable { let n: Int }
        let text = #"{"a":{"k":1,"k":{"n":"x"},"k":{"n":1}},"b":{"k":1,"\u006b":""},"c":{"k":"","k":1}}"#
        let plain = try JsonDecoder().decode(Plain.self, from: Data(text.utf8))
        #expect(plain.a["k"]?.n == 1 && plain.b == ["k": ""] && plain.c == ["k": 1])
        for text in [#"{"a":1,"a":"x"}"#, #"{"a":"x","b":"y","a":1}"#] {
            let error = thrown(DecodingError.self) { try read([String: Int].self, text) }
            guard case .typeMismatch(_, let context) = error else { throw CancellationError() }
            #expect(context.codingPath.count == 1)
        }
    }

    // MARK: - Writing

    private struct Words: JsonWritable {
        let write: (inout JsonOutput) -> Void

        func members(to json: inout JsonOutput) { write(&json) }
    }

    private func write(_ format: JsonEncoder.OutputFormatting, _ body: @escaping (inout JsonOutput) -> Void) throws
        -> String
    {
        var encoder = JsonEncoder()
        encoder.outputFormatting = format
        return String(decoding: try encoder.encode(Words(write: body)), as: UTF8.self)
    }

    @Test(arguments: [[], .sortedKeys] as [JsonEncoder.OutputFormatting])
    func aDictionaryIsWrittenIntoAnObjectWithMembers(format: JsonEncoder.OutputFormatting) throws {
        let after = try write(format) { json in
            json["id"] = 1
            ["id": 5].members(to: &json)
        }
        #expect(after == #"{"id":5}"#)
        let between = try write(format) { json in
            json["a"] = 1
            ["x": 1].members(to: &json)
            json["a"] = 2
        }
        #expect(try Json(parsing: between) == ["x": 1, "a": 2] && between.count == 13)
        let before = try write(format) { json in
            [1: "x"].members(to: &json)
            json["1"] = "y"
        }
        #expect(before == #"{"1":"y"}"#)
        let two = try write(format) { json in
            ["a": 1].members(to: &json)
            ["a": 2].members(to: &json)
        }
        #expect(two == #"{"a":2}"#)
    }

    @Test func manyMembersOfADictionaryAndOthers() throws {
        let numbers = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", $0) })
        let text = try write([]) { json in
            for key in 0..<50 { json[key: "k\(key)"] = -1 }
            numbers.members(to: &json)
            json["k7"] = "last"
        }
        let json = try Json(parsing: text)
        #expect(json.count == 100 && json["k7"] == "last" && json["k8"] == 8 && json["k99"] == 99)
    }

    /// A dictionary that a `Codable` type encodes before further members of the same object.
    @Test func aDictionaryIsEncodedIntoAnObjectWithMembers() throws {
        struct Body: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(["x": 1, "id": 5])
                var container = encoder.container(keyedBy: TestKey.self)
                try container.encode(6, forKey: TestKey("id"))
                try container.encode(7, forKey: TestKey("y"))
            }
        }
        for format in [[], .sortedKeys] as [JsonEncoder.OutputFormatting] {
            var encoder = JsonEncoder()
            encoder.outputFormatting = format
            let text = String(decoding: try encoder.encode(["a": Body()]), as: UTF8.self)
            #expect(text.count == 26, "\(text)")
            #expect(try Json(parsing: text) == ["a": ["x": 1, "id": 6, "y": 7]])
            #expect(try encoder.encode(Body()).count == 20)
        }
    }
}
