import Testing

@testable import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is kept of a decoder or encoder keeps its parents, for the coding path and the document. Run them with Address
/// Sanitizer: parents are not retained while their calls run.
struct JsonKeptParentTests {
    /// Keeps everything that a decoder offers.
    private struct Keeper: Decodable {
        let decoder: any Decoder
        let keyed: KeyedDecodingContainer<TestKey>
        let unkeyed: any UnkeyedDecodingContainer
        let nested: KeyedDecodingContainer<TestKey>
        let single: any SingleValueDecodingContainer
        let superDecoder: any Decoder
        let namedSuper: any Decoder
        let element: any Decoder

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            keyed = try decoder.container(keyedBy: TestKey.self)
            var unkeyed = try keyed.nestedUnkeyedContainer(forKey: TestKey("list"))
            _ = try unkeyed.decode(Int.self)
            element = try unkeyed.superDecoder()
            self.unkeyed = unkeyed
            nested = try keyed.nestedContainer(keyedBy: TestKey.self, forKey: TestKey("object"))
            single = try keyed.superDecoder(forKey: TestKey("number")).singleValueContainer()
            superDecoder = try keyed.superDecoder()
            namedSuper = try keyed.superDecoder(forKey: TestKey("object"))
        }
    }

    /// Keeps one thing, so that nothing else keeps its parents.
    private struct One<Part: Choice>: Decodable {
        let kept: Part.Kept
        init(from decoder: any Decoder) throws { kept = try Part.kept(of: decoder) }
    }

    private struct Outer<Inner: Decodable>: Decodable { let first: [String: [Inner]] }

    private static let text = #"{"list":[1,{"a":2},3],"object":{"b":4},"number":5,"super":{"c":6}}"#

    /// Decodes a type below an object, an array and a dictionary, and uses the decoders for other values afterwards.
    private func decode<Value: Decodable>(_ type: Value.Type, _ decoder: JsonDecoder = .default) throws -> Value {
        let data = Data(#"[{"first":{"x":[\#(Self.text),\#(Self.text)]}}]"#.utf8)
        var kept = try decoder.decode([Outer<Value>].self, from: data)
        let value = try #require(kept[0].first["x"]?.last)
        kept = []
        for _ in 0..<3 { _ = try decoder.decode([Outer<[String: Json]>].self, from: data) }
        return value
    }

    private func names(_ path: [any CodingKey]) -> [String] { path.map(\.stringValue) }

    private static let place = ["Index 0", "first", "x", "Index 1"]

    @Test func everythingThatADecoderOffersStaysUsable() throws {
        let keeper = try decode(Keeper.self)
        #expect(names(keeper.decoder.codingPath) == Self.place)
        #expect(try keeper.keyed.decode(Int.self, forKey: TestKey("number")) == 5)
        var unkeyed = keeper.unkeyed
        #expect(try unkeyed.decode(Int.self) == 3)
        #expect(try keeper.single.decode(Int.self) == 5)
        #expect(names(keeper.single.codingPath) == Self.place + ["number"])
        #expect(try keeper.nested.decode(Int.self, forKey: TestKey("b")) == 4)
        #expect(names(keeper.nested.codingPath) == Self.place + ["object"])
        #expect(try Json(from: keeper.element) == ["a": 2])
        #expect(try Json(from: keeper.superDecoder) == ["c": 6])
        #expect(try Json(from: keeper.namedSuper) == ["b": 4])
        #expect(names(keeper.namedSuper.codingPath) == Self.place + ["object"])
        #expect(names(keeper.element.codingPath) == Self.place + ["list", "Index 1"])
    }

    @Test func aPartAloneKeepsItsParents() throws {
        let decoder = try decode(One<ADecoder>.self).kept
        #expect(names(decoder.codingPath) == Self.place)
        #expect(try decoder.container(keyedBy: TestKey.self).decode(Json.self, forKey: TestKey("object")) == ["b": 4])
        var unkeyed = try decode(One<AnUnkeyedContainer>.self).kept
        #expect(names(unkeyed.codingPath) == Self.place + ["list"])
        #expect(try unkeyed.decode(Json.self) == 1)
        let element = try unkeyed.superDecoder()
        #expect(names(element.codingPath) == Self.place + ["list", "Index 1"])
        #expect(try element.container(keyedBy: TestKey.self).decode(Json.self, forKey: TestKey("a")) == 2)
        let parent = try decode(One<ASuperDecoder>.self).kept
        #expect(names(parent.codingPath) == Self.place + ["super"])
        #expect(try Json(from: parent) == ["c": 6])
        let nested = try decode(One<ANestedContainer>.self).kept
        #expect(names(nested.codingPath) == Self.place + ["object"])
        #expect(try nested.decode(Json.self, forKey: TestKey("b")) == 4)
    }

    @Test func theDecoderOfAStrategyKeepsItsParents() throws {
        struct Dated: Decodable { let number: Date }
        let kept = Kept()
        defer { kept.decoders = [] }  // They keep the strategy, which keeps them.
        var decoder = JsonDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            kept.decoders.append(decoder)
            return Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self))
        }
        #expect(try decode(Dated.self, decoder).number == Date(timeIntervalSince1970: 5))
        let decoders = kept.decoders
        #expect(decoders.map { names($0.codingPath).last } == ["number", "number"])
        #expect(names(decoders[1].codingPath) == Self.place + ["number"])
        #expect(try decoders.map { try Json(from: $0) } == [5, 5])
    }

    /// A key with a number, which is no index.
    private struct Numbered: Codable {
        enum CodingKeys: Int, CodingKey { case first = 7, second = 8 }

        var first: Date
        var second: Date
    }

    @Test func aStrategySeesTheKeysOfTheType() throws {
        @Sendable func text(_ path: [any CodingKey]) -> String {
            path.map { "\($0.stringValue) \($0.intValue ?? -1) \(type(of: $0))" }.joined(separator: ", ")
        }
        let kept = Kept()
        defer { kept.decoders = [] }  // They keep the strategy, which keeps them.
        var decoder = JsonDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            kept.decoders.append(decoder)
            return .distantPast
        }
        let dates = try decoder.decode(Numbered.self, from: Data(#"{"first":1,"second":2}"#.utf8))
        #expect(kept.decoders.map { text($0.codingPath) } == ["first 7 CodingKeys", "second 8 CodingKeys"])

        var encoder = JsonEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.keyEncodingStrategy = .custom { TestKey(text($0)) }
        #expect(
            String(decoding: try encoder.encode(dates), as: UTF8.self)
                == #"{"first 7 CodingKeys":-62135769600,"second 8 CodingKeys":-62135769600}"#)
    }

    @Test func keptEncodersStayUsableAndWriteNothing() throws {
        struct Leaf: Encodable {
            let kept: Kept
            func encode(to encoder: any Encoder) throws {
                kept.encoders.append(encoder)
                var container = encoder.container(keyedBy: TestKey.self)
                var list = container.nestedUnkeyedContainer(forKey: TestKey("list"))
                try list.encode(1)
                kept.containers.append(list)
                kept.encoders.append(container.superEncoder(forKey: TestKey("super")))
                kept.encoders.append(list.superEncoder())
            }
        }
        let kept = Kept()
        let data = try JsonEncoder().encode([["a": [Leaf(kept: kept)]], ["b": [Leaf(kept: kept)]]])
        #expect(data == Data(#"[{"a":[{"list":[1,{}],"super":{}}]},{"b":[{"list":[1,{}],"super":{}}]}]"#.utf8))
        for _ in 0..<3 { _ = try JsonEncoder().encode([["a": [[1, 2], [3]]], ["b": []]]) }
        let place = ["Index 1", "b", "Index 0"]
        #expect(
            kept.encoders.suffix(3).map { names($0.codingPath) } == [
                place, place + ["super"], place + ["list", "Index 1"],
            ])
        #expect(names(kept.containers[1].codingPath) == place + ["list"])
        for encoder in kept.encoders { _ = encoder.unkeyedContainer() }
        for index in kept.containers.indices { try kept.containers[index].encode("later") }
    }

    @Test func aContainerOfDataKeysKeepsItsParents() throws {
        var converting = JsonDecoder()
        converting.keyDecodingStrategy = .convertFromSnakeCase
        let kept = try decode(One<AContainerOfDataKeys>.self, converting).kept
        #expect(names(kept.codingPath) == Self.place)
        #expect(Set(kept.allKeys.map(\.stringValue)) == ["list", "object", "number", "super"])
        #expect(try kept.decode(Json.self, forKey: JsonKey("object")) == ["b": 4])
    }
}

private final class Kept: @unchecked Sendable {  // one thread's
    var decoders: [any Decoder] = []
    var encoders: [any Encoder] = []
    var containers: [any UnkeyedEncodingContainer] = []
}

/// What a type keeps of its decoder.
private protocol Choice {
    associatedtype Kept
    static func kept(of decoder: any Decoder) throws -> Kept
}

private enum ADecoder: Choice {
    static func kept(of decoder: any Decoder) throws -> any Decoder { decoder }
}

private enum AnUnkeyedContainer: Choice {
    static func kept(of decoder: any Decoder) throws -> any UnkeyedDecodingContainer {
        try decoder.container(keyedBy: TestKey.self).nestedUnkeyedContainer(forKey: TestKey("list"))
    }
}

private enum ASuperDecoder: Choice {
    static func kept(of decoder: any Decoder) throws -> any Decoder {
        try decoder.container(keyedBy: TestKey.self).superDecoder()
    }
}

private enum ANestedContainer: Choice {
    static func kept(of decoder: any Decoder) throws -> KeyedDecodingContainer<TestKey> {
        try decoder.container(keyedBy: TestKey.self).nestedContainer(keyedBy: TestKey.self, forKey: TestKey("object"))
    }
}

private enum AContainerOfDataKeys: Choice {
    static func kept(of decoder: any Decoder) throws -> KeyedDecodingContainer<JsonKey> {
        try decoder.container(keyedBy: JsonKey.self)
    }
}
