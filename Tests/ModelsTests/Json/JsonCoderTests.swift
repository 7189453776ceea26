import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct JsonCoderTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JsonDecoder().decode(type, from: Data(text.utf8))
    }

    @Test func integersAreExactAndMayBeWrittenAsReals() throws {
        #expect(try decode([Int64].self, "[9223372036854775807,-9223372036854775808]") == [.max, .min])
        #expect(try decode([UInt64].self, "[18446744073709551615,0,-0]") == [.max, 0, 0])
        #expect(try decode(Int128.self, "-170141183460469231731687303715884105728") == .min)
        #expect(
            try decode([Int].self, "[1.0,1e2,10e-1,9007199254740993.0,9223372036854775807.0]") == [
                1, 100, 1, 9_007_199_254_740_993, .max,
            ])
    }

    @Test func aTextIsParsed() throws {
        let text = #"{"a": "\"b\""}"#
        #expect(try JsonDecoder().decode([String: String].self, from: text) == ["a": "\"b\""])
        #expect(try JsonDecoder().decode([Int].self, from: "[1, 2]") == [1, 2])
        #expect(try JsonDecoder().decode(String.self, from: #""a""#) == "a")
        #expect(throws: DecodingError.self) { try JsonDecoder().decode(String.self, from: "a") }
    }

    @Test(arguments: ["128", "-129", "1.5", "1e3", "1e99999", "99999999999999999999", "0.1"])
    func numbersThatDoNotFitAreErrorsWithTheirPath(number: String) {
        let error = thrown(DecodingError.self) { try decode([String: [Int8]].self, "{\"a\":[1,\(number)]}") }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    }

    @Test(arguments: [
        "0.1", "1e23", "9007199254740993", "123456789012345678", "1.7976931348623157e308", "5e-324",
        "2.2250738585072014e-308", "4.9406564584124654e-324",
        "0.000001", "179769313486231570000000000000000000000", "1e22", "1e-22", "1e27", "1e-27",
        "12345678901234567890e-27", "0.30000000000000004",
        "9007199254740992.5", "9007199254740993.5", "1234567890123456789012345", "1e16", "-0.0", "0e5", "0.0e-999",
        "8.41e21", "5.0e-20",
        "67108864.0000000149011611938476", "2.5e0", "72057594037927945", "36028797018963966", "1e28", "1e-28",
    ])
    func doublesAndFloatsAreRoundedCorrectly(text: String) throws {
        #expect(try decode(Double.self, text).bitPattern == Double(text)?.bitPattern)
        if let float = Float(text), float.isFinite, float != 0 || Double(text) == 0 {
            #expect(try decode(Float.self, text).bitPattern == float.bitPattern)
        }
    }

    @Test func randomDoublesSurviveInAnySpelling() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<4000 {
            let digits = generator.next() >> UInt64.random(in: 0...60, using: &generator)
            let text = "\(digits)e\(Int.random(in: -40...40, using: &generator))"
            #expect(try decode(Double.self, text) == Double(text), "\(text)")
            let value = generator.double()
            #expect(try decode(Double.self, value.description).bitPattern == value.bitPattern)
            #expect(try decode(Double.self, String(decoding: JsonEncoder().encode(value), as: UTF8.self)) == value)
            let float = generator.float()
            #expect(try decode(Float.self, float.description).bitPattern == float.bitPattern)
        }
    }

    @Test func numbersBeyondADoubleAreErrors() {
        for text in ["1e309", "-1e400", "1e-400", "1e99999999999999999999"] {
            #expect(throws: DecodingError.self) { try decode(Double.self, text) }
        }
        #expect(throws: DecodingError.self) { try decode(Float.self, "1e39") }
    }

    @Test func stringsStandForInfinitiesWhereTheStrategySaysSo() throws {
        var decoder = JsonDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let values = try decoder.decode([Double].self, from: Data(#"["+","-",1,"?"]"#.utf8))
        #expect(values[..<3] == [.infinity, -.infinity, 1])
        #expect(values[3].isNaN)
        #expect(throws: DecodingError.self) { try decoder.decode([Float].self, from: Data(#"["x"]"#.utf8)) }
        var encoder = JsonEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        struct Both: Encodable { let a = Float.infinity, b = [-Double.infinity, .nan] }
        #expect(String(decoding: try encoder.encode(Both()), as: UTF8.self) == #"{"a":"+","b":["-","?"]}"#)
        let error = thrown(EncodingError.self) { try JsonEncoder().encode(Both()) }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["a"])
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e300, -1e300, 253_402_300_800, -62_135_769_601,
    ])
    func aDateOutsideTheYears1To9999IsAnErrorInIso8601(seconds: Double) {
        var encoder = JsonEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let dates = [Date(timeIntervalSince1970: seconds)]
        let error = thrown(EncodingError.self) { try encoder.encode(dates) }
        #expect(error != nil)
    }

    @Test func theFirstAndTheLastDateOfIso8601AreWritten() throws {
        var encoder = JsonEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let last = try encoder.encode([Date(timeIntervalSince1970: 253_402_300_799)])
        #expect(String(decoding: last, as: UTF8.self) == #"["9999-12-31T23:59:59Z"]"#)
        #expect(try !encoder.encode([Date.distantPast]).isEmpty)
    }

    @Test func formattedDatesGoThroughTheFunctions() throws {
        var decoder = JsonDecoder()
        decoder.dateDecodingStrategy = .formatted { text in Int(text).map { Date(timeIntervalSince1970: Double($0)) } }
        #expect(try decoder.decode([Date].self, from: Data(#"["5"]"#.utf8)) == [Date(timeIntervalSince1970: 5)])
        let error = thrown(DecodingError.self) { try decoder.decode([Date].self, from: Data(#"["x"]"#.utf8)) }
        guard case .dataCorrupted(let context) = error else { throw try #require(error) }
        #expect(context.codingPath.map(\.stringValue) == ["Index 0"])
        var encoder = JsonEncoder()
        encoder.dateEncodingStrategy = .formatted { "\(Int($0.timeIntervalSince1970))" }
        #expect(String(decoding: try encoder.encode([Date(timeIntervalSince1970: 5)]), as: UTF8.self) == #"["5"]"#)
    }

    @Test func userInfoReachesTheTypes() throws {
        struct Model: Codable {
            let text: String
            init(text: String) { self.text = text }
            init(from decoder: any Decoder) throws { text = decoder.userInfo[Self.key] as? String ?? "" }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.userInfo[Self.key] as? String ?? "")
            }
            static let key = CodingUserInfoKey(rawValue: "k").unsafelyUnwrapped
        }
        var decoder = JsonDecoder()
        decoder.userInfo[Model.key] = "x"
        #expect(try decoder.decode([Model].self, from: Data("[1,2]".utf8)).map(\.text) == ["x", "x"])
        var encoder = JsonEncoder()
        encoder.userInfo[Model.key] = "y"
        #expect(String(decoding: try encoder.encode([Model(text: "")]), as: UTF8.self) == #"["y"]"#)
    }

    @Test func dictionaryKeysAreDataThatNoStrategyTouches() throws {
        struct Model: Codable, Equatable { let someValue: [String: [String: Int]] }
        var decoder = JsonDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let model = try decoder.decode(Model.self, from: Data(#"{"some_value":{"a_b":{"c_d":1}}}"#.utf8))
        #expect(model == Model(someValue: ["a_b": ["c_d": 1]]))
        var encoder = JsonEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(
            String(decoding: try encoder.encode(Model(someValue: ["aB": ["cD": 1]])), as: UTF8.self)
                == #"{"some_value":{"aB":{"cD":1}}}"#)
    }

    @Test(arguments: [
        "first_name", "First_Name", "FIRST_NAME", "_a_b_", "a__b", "a_1b_c", "a_b-c_d", "éa_éb_ÉC", "__", "a", "ABC",
        "a_BCd", "x_ß", "foo bar_baz qux", "_", "",
        "a_\u{301}b", "one_two_three", "ǆ_ǆa", "a'b_c'd", "x_2y_z3a", "_leading", "trailing_", "l'été_d'été",
    ])
    func snakeCaseKeysAreConvertedAsFoundationDoes(key: String) throws {
        struct Keys: Decodable {
            let keys: [String]
            init(from decoder: any Decoder) throws {
                keys = try decoder.container(keyedBy: TestKey.self).allKeys.map(\.stringValue)
            }
        }
        let data = try JSONEncoder().encode([key: 1])
        let foundation = JSONDecoder()
        foundation.keyDecodingStrategy = .convertFromSnakeCase
        var own = JsonDecoder()
        own.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try own.decode(Keys.self, from: data).keys == foundation.decode(Keys.self, from: data).keys)
    }

    @Test(arguments: [
        "firstName", "myURLProperty", "URL", "aB", "AB", "ABc", "myURL", "a1B2C3", "_aB_", "ÉaÉb", "a-B", "aBC1D",
        "x2Y", "fooBAR9bar",
        "thisIsAnXMLProperty", "aǅb", "singleÀ", "aB C d", "oneTWOThree_four", "ß", "aßB", "", "A", "aBcDeF", "ALLCAPS",
        "trailingX", "XLeading", "a__B",
    ])
    func camelCaseKeysAreConvertedAsFoundationDoes(key: String) throws {
        struct Model: Encodable {
            let key: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: TestKey.self)
                try container.encode(1, forKey: TestKey(key))
            }
        }
        let foundation = JSONEncoder()
        foundation.keyEncodingStrategy = .convertToSnakeCase
        var own = JsonEncoder()
        own.keyEncodingStrategy = .convertToSnakeCase
        #expect(try own.encode(Model(key: key)) == foundation.encode(Model(key: key)))
    }

    @Test func containersTellWhatTheyHold() throws {
        struct Probe: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: TestKey.self)
                #expect(container.allKeys.map(\.stringValue) == ["b", "a", "n"])
                #expect(container.contains(TestKey("a")))
                #expect(!container.contains(TestKey("c")))
                #expect(try container.decodeNil(forKey: TestKey("n")))
                #expect(try !container.decodeNil(forKey: TestKey("a")))
                #expect(throws: DecodingError.self) { try container.decodeNil(forKey: TestKey("c")) }
                #expect(try container.decode(Int.self, forKey: TestKey("a")) == 2)
                #expect(try container.decode(Int.self, forKey: TestKey("a")) == 2)
                var list = try container.nestedUnkeyedContainer(forKey: TestKey("b"))
                #expect(list.count == 2)
                #expect(try list.decode(Int.self) == 1)
                // A failure does not move on.
                #expect(throws: DecodingError.self) { try list.decode(Int.self) }
                #expect(list.currentIndex == 1)
                #expect(try list.decode(String.self) == "x")
                #expect(list.isAtEnd)
                let error = thrown(DecodingError.self) { try list.decode(Int.self) }
                guard case .valueNotFound(_, let context) = error else { return }
                #expect(context.codingPath.map(\.stringValue) == ["b", "Index 2"])
                #expect(try container.superDecoder().singleValueContainer().decodeNil())
                #expect(try container.superDecoder(forKey: TestKey("a")).singleValueContainer().decode(Int.self) == 2)
                #expect(try container.superDecoder(forKey: TestKey("a")).codingPath.map(\.stringValue) == ["a"])
            }
        }
        _ = try decode(Probe.self, #"{"b":[1,"x"],"a":2,"n":null}"#)
    }

    @Test func aDecoderThatIsKeptGoesOnWorking() throws {
        struct Keeper: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        let kept = try decode([Keeper].self, #"[{"a":1},{"a":[2]},3]"#)
        #expect(try kept[0].decoder.container(keyedBy: TestKey.self).decode(Int.self, forKey: TestKey("a")) == 1)
        #expect(try [String: [Int]](from: kept[1].decoder) == ["a": [2]])
        #expect(try kept[2].decoder.singleValueContainer().decode(Int.self) == 3)
        #expect(kept.map { $0.decoder.codingPath.map(\.stringValue) } == [["Index 0"], ["Index 1"], ["Index 2"]])
    }

    @Test func objectsOfAnyWidthFindTheirMembersInAnyOrder() throws {
        for width in [1, 7, 31, 32, 33, 64, 500] {
            let names = (0..<width).map { "key\($0)" }
            let text = "{" + names.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
            struct Reversed: Decodable {
                init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: TestKey.self)
                    for key in container.allKeys.reversed() {
                        #expect(try container.decode(String.self, forKey: key) == key.stringValue)
                        #expect(
                            try container.decodeIfPresent(String.self, forKey: TestKey(key.stringValue + "x")) == nil)
                    }
                    #expect(container.allKeys.count > 0)
                }
            }
            _ = try decode(Reversed.self, text)
            let table = try decode([String: String].self, text)
            #expect(table.count == width)
            #expect(table.allSatisfy { $0.key == $0.value })
            // A duplicate at the end, written with an escape.
            let repeated = text.dropLast() + ",\"\\u006bey0\":\"last\"}"
            #expect(try decode([String: String].self, String(repeated))["key0"] == "last")
            struct First: Decodable { let key0: String }
            #expect(try decode(First.self, String(repeated)).key0 == "last")
        }
    }
}
