import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The keys of dictionaries are data, which no key strategy changes.
struct JsonDictionaryKeyTests {
    private enum Field: String, Codable, CodingKeyRepresentable {
        case lastName
        case firstName = "first_name"
    }

    private struct Tag: Codable, Hashable, CodingKeyRepresentable {
        let name: String

        init(_ name: String) { self.name = name }
        init?(codingKey: some CodingKey) { name = codingKey.stringValue }

        var codingKey: any CodingKey { TestKey(name) }
    }

    private struct Item: Codable, Equatable {
        let itemId: Int
    }

    /// A type that codes itself as a dictionary.
    private struct Wrapped<Key: Codable & Hashable>: Codable, Equatable {
        let values: [Key: Item]

        init(_ values: [Key: Item]) { self.values = values }
        init(from decoder: any Decoder) throws { values = try [Key: Item](from: decoder) }
        func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    }

    /// A type with known members, and a dictionary of all members beside them.
    private struct Flat: Codable, Equatable {
        var pageSize: Int
        var rest: [Tag: Int]
        var again = 0

        enum CodingKeys: CodingKey { case pageSize }

        init(pageSize: Int, rest: [Tag: Int]) { (self.pageSize, self.rest) = (pageSize, rest) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            pageSize = try container.decode(Int.self, forKey: .pageSize)
            rest = try [Tag: Int](from: decoder)
            again = try container.decode(Int.self, forKey: .pageSize)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(pageSize, forKey: .pageSize)
            try rest.encode(to: encoder)
        }
    }

    private static let strategies: [(JsonEncoder.KeyEncodingStrategy, JsonDecoder.KeyDecodingStrategy)] = [
        (.convertToSnakeCase, .convertFromSnakeCase),
        (
            .custom { TestKey("x-" + ($0.last?.stringValue ?? "")) },
            .custom { TestKey(String(($0.last?.stringValue ?? "").dropFirst(2))) }
        ),
    ]

    private func check<Value: Codable & Equatable>(_ value: Value, _ snakeCase: String, _ custom: String) throws {
        for (text, strategy) in zip([snakeCase, custom], Self.strategies) {
            var encoder = JsonEncoder()
            encoder.outputFormatting = .sortedKeys
            encoder.keyEncodingStrategy = strategy.0
            #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
            var decoder = JsonDecoder()
            decoder.keyDecodingStrategy = strategy.1
            #expect(try decoder.decode(Value.self, from: Data(text.utf8)) == value)
        }
    }

    @Test func keysOfAnEnumStayAsTheyAre() throws {
        let value: [Field: Item] = [.lastName: Item(itemId: 1), .firstName: Item(itemId: 2)]
        try check(
            value, #"{"first_name":{"item_id":2},"lastName":{"item_id":1}}"#,
            #"{"first_name":{"x-itemId":2},"lastName":{"x-itemId":1}}"#)
    }

    @Test func keysOfAStructStayAsTheyAre() throws {
        let value = [Tag("a_b"): ["cD": 1], Tag("aB"): ["c_d": 2]]
        let text = #"{"aB":{"c_d":2},"a_b":{"cD":1}}"#
        try check(value, text, text)
        try check(["k_k": value], #"{"k_k":\#(text)}"#, #"{"k_k":\#(text)}"#)
    }

    @Test func numbersAsKeysStayAsTheyAre() throws {
        try check([7: Item(itemId: 1)], #"{"7":{"item_id":1}}"#, #"{"7":{"x-itemId":1}}"#)
    }

    @Test func aTypeThatCodesItselfAsADictionaryKeepsItsKeys() throws {
        try check(
            Wrapped(["a_b": Item(itemId: 1), "aB": Item(itemId: 2)]), #"{"aB":{"item_id":2},"a_b":{"item_id":1}}"#,
            #"{"aB":{"x-itemId":2},"a_b":{"x-itemId":1}}"#)
        try check(
            [Wrapped([Field.lastName: Item(itemId: 1)])], #"[{"lastName":{"item_id":1}}]"#,
            #"[{"lastName":{"x-itemId":1}}]"#)
    }

    @Test func theMembersOfATypeAreConvertedBesideThoseOfItsDictionary() throws {
        var encoder = JsonEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let data = try encoder.encode(Flat(pageSize: 3, rest: [Tag("nextPage"): 4]))
        #expect(String(decoding: data, as: UTF8.self) == #"{"page_size":3,"nextPage":4}"#)
        var decoder = JsonDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let flat = try decoder.decode([Flat].self, from: Data("[\(String(decoding: data, as: UTF8.self))]".utf8))
        #expect(flat[0].rest == [Tag("page_size"): 3, Tag("nextPage"): 4])
        #expect(flat[0].again == 3)
    }

    @Test func anErrorInADictionaryHasItsCodingPath() {
        var decoder = JsonDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let error = thrown(DecodingError.self) {
            try decoder.decode([[Tag: Item]].self, from: Data(#"[{"a_b":{"item_id":"x"}}]"#.utf8))
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["Index 0", "a_b", "itemId"])
    }

    @Test func membersOfAJsonBesideThoseOfATypeStayAsTheyAre() throws {
        struct Extended: Encodable {
            let extra: Json

            enum CodingKeys: CodingKey { case ownName }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(1, forKey: .ownName)
                try extra.encode(to: encoder)
            }
        }
        var encoder = JsonEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let data = try encoder.encode(Extended(extra: ["aB": ["cD": 1]]))
        #expect(String(decoding: data, as: UTF8.self) == #"{"own_name":1,"aB":{"cD":1}}"#)
    }
}
