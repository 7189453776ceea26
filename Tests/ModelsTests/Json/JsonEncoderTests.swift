import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct JsonEncoderTests {
    @Test func aKeyThatIsWrittenTwiceHasTheLastValue() throws {
        struct Model: Encodable {
            let nested: Bool
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: TestKey.self)
                for round in 0..<3 {
                    for index in 0..<20 where index % 3 != round {
                        try container.encode(round * 100 + index, forKey: TestKey("k\(index)"))
                    }
                }
                if nested {
                    var first = container.nestedContainer(keyedBy: TestKey.self, forKey: TestKey("n"))
                    try first.encode(1, forKey: TestKey("a"))
                    try container.encode("x", forKey: TestKey("k0"))
                    var second = container.nestedContainer(keyedBy: TestKey.self, forKey: TestKey("n"))
                    try second.encode(2, forKey: TestKey("b"))
                    try first.encode(3, forKey: TestKey("c"))
                }
            }
        }
        for nested in [false, true] {
            for format: JsonEncoder.OutputFormatting in [
                [], .prettyPrinted, .sortedKeys, [.sortedKeys, .prettyPrinted],
            ] {
                var own = JsonEncoder()
                own.outputFormatting = format
                let foundation = JSONEncoder()
                foundation.outputFormatting = JSONEncoder.OutputFormatting(rawValue: format.rawValue)
                let data = try own.encode([Model(nested: nested)])
                let expected = try foundation.encode([Model(nested: nested)])
                #expect(try Json(parsing: data) == Json(parsing: expected))
                if format.contains(.sortedKeys) { #expect(data == expected) }
                #expect(try Json(parsing: data)[0]?.count == (nested ? 21 : 20))
            }
        }
    }

    @Test func aTypeMayGoOnAfterAFailure() throws {
        struct Bad: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: TestKey.self)
                try container.encode([1, 2], forKey: TestKey("partly"))
                var nested = container.nestedUnkeyedContainer(forKey: TestKey("nested"))
                try nested.encode(1)
                try container.encode(Double.nan, forKey: TestKey("nan"))
            }
        }
        struct Model: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: TestKey.self)
                try? container.encode(Bad(), forKey: TestKey("bad"))
                try container.encode(1, forKey: TestKey("good"))
                try? container.encode([Bad()], forKey: TestKey("bad"))
                try? container.encode(Bad(), forKey: TestKey("good2"))
                var list = container.nestedUnkeyedContainer(forKey: TestKey("list"))
                try? list.encode(Bad())
                try list.encode(2)
                try? list.encode(Bad())
            }
        }
        #expect(String(decoding: try JsonEncoder().encode(Model()), as: UTF8.self) == #"{"good":1,"list":[2]}"#)
    }

    @Test func anEncoderThatIsKeptHarmsNothing() throws {
        final class Store: @unchecked Sendable { var encoders: [any Encoder] = [] }
        struct Keeper: Encodable {
            let store: Store
            let value: Int
            func encode(to encoder: any Encoder) throws {
                for kept in store.encoders {
                    var container = kept.unkeyedContainer()
                    try container.encode("stray")
                    try container.encode([["stray"]])
                }
                store.encoders.append(encoder)
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        let store = Store()
        let data = try JsonEncoder().encode((0..<4).map { Keeper(store: store, value: $0) })
        #expect(String(decoding: data, as: UTF8.self) == "[0,1,2,3]")
        for kept in store.encoders {
            var container = kept.container(keyedBy: TestKey.self)
            try container.encode("late", forKey: TestKey("a"))
        }
    }

    @Test func encodingTwoValuesAsOneIsAnErrorAndNoTrap() {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(1)
                try single.encode(2)
            }
        }
        struct Mixed: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: TestKey.self)
                try container.encode(1, forKey: TestKey("a"))
                var list = encoder.unkeyedContainer()
                try list.encode(1)
            }
        }
        #expect(throws: EncodingError.self) { try JsonEncoder().encode(Twice()) }
        #expect(throws: EncodingError.self) { try JsonEncoder().encode(["a": [Mixed()]]) }
    }

    @Test func nothingEncodedIsAnErrorAtTheTopAndAnEmptyObjectBelow() throws {
        struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }
        #expect(throws: EncodingError.self) { try JsonEncoder().encode(Nothing()) }
        #expect(String(decoding: try JsonEncoder().encode(["a": [Nothing()]]), as: UTF8.self) == #"{"a":[{}]}"#)
    }

    @Test func textOfAnyLengthAndContentIsEscaped() throws {
        let special: [Character] = ["\"", "\\", "/", "\n", "\u{1}", "é", "😀", "\u{7F}"]
        for length in 0..<40 {
            for character in special {
                for place in 0...length {
                    var text = Array(repeating: Character("a"), count: length)
                    text.insert(character, at: place)
                    let data = try JsonEncoder().encode(String(text))
                    #expect(try Json(parsing: data).string == String(text))
                }
            }
        }
    }
}
