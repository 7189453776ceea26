import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Members of models that read and write themselves, whose types have `Codable` alone.
struct FastCodableMemberTests {
    private struct Plain: Codable, Equatable {
        let firstName: String, born: Date, next: [Plain]
    }

    private struct Model: Codable, Equatable, JsonReadable, JsonWritable {
        let id: Int, plain: Plain, maybe: Plain?, none: Plain?

        init(json: inout JsonInput) throws {
            id = try json["id"]
            plain = try json.decode("plain")
            maybe = try json.decodeIfPresent("maybe")
            none = try json.decodeIfPresent("none")
        }

        func members(to json: inout JsonOutput) {
            json["id"] = id
            json.encode("plain", plain)
            json.encode("maybe", maybe)
            json.encode("none", none)
        }
    }

    private static let coders: (decoder: JsonDecoder, encoder: JsonEncoder) = {
        var (decoder, encoder) = (JsonDecoder(), JsonEncoder())
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        return (decoder, encoder)
    }()

    private func plain(_ name: String, _ next: String = "") -> String {
        #"{"first_name":\#(name),"born":"2026-03-01T12:00:00Z","next":[\#(next)]}"#
    }

    @Test(arguments: [[], .prettyPrinted] as [JsonEncoder.OutputFormatting])
    func aMemberIsCodedWithTheStrategies(format: JsonEncoder.OutputFormatting) throws {
        let inner = plain(#""b""#)
        let text = #"[{"id":1,"plain":\#(plain(#""a""#, inner)),"maybe":\#(inner)}]"#
        let models = try Self.coders.decoder.decode([Model].self, from: Data(text.utf8))
        #expect(models[0].plain.next[0].firstName == "b" && models[0].maybe?.firstName == "b" && models[0].none == nil)
        var encoder = Self.coders.encoder
        encoder.outputFormatting = format
        let written = String(decoding: try encoder.encode(models), as: UTF8.self)
        let expected = try Json(parsing: text).serialized(format)
        #expect(written == String(decoding: expected, as: UTF8.self))
    }

    @Test func anErrorHasTheWholePath() throws {
        let text = #"{"list":[{"id":1,"plain":\#(plain(#""a""#, plain("1")))}]}"#
        let error = thrown(DecodingError.self) {
            try Self.coders.decoder.decode([String: [Model]].self, from: Data(text.utf8))
        }
        guard case .typeMismatch(_, let context) = error else { throw CancellationError() }
        let path = context.codingPath.map { $0.intValue?.description ?? $0.stringValue }
        #expect(path == ["list", "0", "plain", "next", "0", "firstName"])
        let missing = thrown(DecodingError.self) {
            try JsonDecoder().decode(Model.self, from: Data(#"{"id":1}"#.utf8))
        }
        guard case .keyNotFound(let key, _) = missing else { throw CancellationError() }
        #expect(key.stringValue == "plain")
    }

    /// The keys of a dictionary are data: no strategy changes them, and those of the values below them are changed.
    @Test func anErrorBelowADictionaryWithNumbersAsKeysHasTheWholePath() throws {
        struct Tables: JsonReadable {
            let tables: [Int: [Int: Plain]]

            init(json: inout JsonInput) throws { tables = try json.decode("tables") }
        }
        let text = #"{"a":{"tables":{"7":{"8":{"first_name":1}}}}}"#
        let error = thrown(DecodingError.self) {
            try Self.coders.decoder.decode([String: Tables].self, from: Data(text.utf8))
        }
        guard case .typeMismatch(_, let context) = error else { throw CancellationError() }
        #expect(context.codingPath.map(\.stringValue) == ["a", "tables", "7", "8", "firstName"])
    }

    @Test func theLastMemberCounts() throws {
        let text = #"{"id":1,"plain":1,"plain":\#(plain(#""a""#)),"maybe":null}"#
        let model = try Self.coders.decoder.decode(Model.self, from: Data(text.utf8))
        #expect(model.plain.firstName == "a" && model.maybe == nil)
    }

    /// Reads itself, and counts how often. Its member has `Codable` alone.
    private final class Chain: Decodable, JsonReadable {
        nonisolated(unsafe) static var reads = 0
        let id: Int?, link: Link?

        struct Link: Decodable { let chain: Chain }

        init(json: inout JsonInput) throws {
            Self.reads += 1
            id = try json["id"]
            link = try json.decodeIfPresent("link")
        }

        var depth: Int { 1 + (link?.chain.depth ?? 0) }
    }

    @Test func repeatedKeysAtEachLevelAreReadTwiceAtMost() throws {
        let levels = 16
        let text =
            String(repeating: #"{"id": 1, "id": 2, "link": {"chain": "#, count: levels) + "{}"
            + String(repeating: "}}", count: levels)
        Chain.reads = 0
        #expect(try JsonDecoder().decode(Chain.self, from: text).depth == levels + 1)
        #expect(Chain.reads <= 2 * (levels + 1))
    }

    // MARK: - Coders that are kept

    /// Keeps the decoder and the encoder of a value.
    private final class Keeper: Codable {
        let decoder: (any Decoder)?
        nonisolated(unsafe) static var encoder: (any Encoder)?

        init(from decoder: any Decoder) throws { self.decoder = decoder }
        func encode(to encoder: any Encoder) throws {
            Self.encoder = encoder
            try 1.encode(to: encoder)
        }
    }

    private struct Keeping: JsonReadable, JsonWritable {
        let keepers: [Keeper]

        init(json: inout JsonInput) throws {
            keepers = try json.array("list") { [try $0.decode("a"), try $0.decode("b")] as [Keeper] }.flatMap { $0 }
        }

        func members(to json: inout JsonOutput) {
            json.array("list", keepers) { $1.encode("a", $0) }
        }
    }

    /// Under Address Sanitizer, shows that a kept coder references nothing of the coding that is over.
    @Test func aCoderThatIsKeptHasItsPath() throws {
        let text = #"{"list":[{"a":1,"b":[2]},{"a":3,"b":[4]}]}"#
        let value = try JsonDecoder().decode(Keeping.self, from: Data(text.utf8))
        let paths = value.keepers.map { $0.decoder?.codingPath.map { $0.intValue?.description ?? $0.stringValue } }
        #expect(paths == [["list", "0", "a"], ["list", "0", "b"], ["list", "1", "a"], ["list", "1", "b"]])
        let last = try #require(value.keepers[3].decoder)
        #expect(try [Int](from: last) == [4])
        #expect(try Int(from: #require(value.keepers[0].decoder)) == 1)
        #expect(try JsonEncoder().encode(value) == Data(#"{"list":[{"a":1},{"a":1},{"a":1},{"a":1}]}"#.utf8))
        #expect(Keeper.encoder?.codingPath.map(\.stringValue) == ["list", "Index 3", "a"])
        try "later".encode(to: #require(Keeper.encoder))
        Keeper.encoder = nil
    }
}
