import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The same type with and without the fast protocols, on the same documents: same values, errors and coding paths.
struct FastDifferentialTests {
    /// Set `JSON_SEED` to repeat a run, and `JSON_COUNT` for another number of documents.
    private static let seed = environment("JSON_SEED") ?? .random(in: 0...UInt64.max)

    /// A run of a few seconds. `swift test -c release` takes the larger number.
    private static let count: Int = {
        #if DEBUG
        let count: UInt64 = 2_000
        #else
        let count: UInt64 = 100_000
        #endif
        return Int(environment("JSON_COUNT") ?? count)
    }()

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static let decoders: [JsonDecoder] = {
        var second = JsonDecoder()
        second.dateDecodingStrategy = .iso8601
        second.dataDecodingStrategy = .deferredToData
        second.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "text", negativeInfinity: "-", nan: "NaN")
        var third = JsonDecoder()
        third.dateDecodingStrategy = .custom { decoder in
            Date(timeIntervalSinceReferenceDate: try Double(from: decoder) + Double(decoder.codingPath.count))
        }
        third.dataDecodingStrategy = .custom { decoder in
            var container = try decoder.unkeyedContainer()
            return Data([try container.decode(UInt8.self), UInt8(decoder.codingPath.count)])
        }
        return [JsonDecoder(), second, third]
    }()

    /// Decodes a document as the type of a mode, and describes the value or the error.
    private struct Model: Sendable {
        let make: @Sendable (inout FastDocuments) -> String
        let fast: @Sendable (JsonDecoder, Data) -> String
        let plain: @Sendable (JsonDecoder, Data) -> String
    }

    private static let models: [Model] = [
        model({ $0.scalars() }, FastScalars<Fast>.self, FastScalars<Plain>.self),
        model({ $0.optionals() }, FastOptionals<Fast>.self, FastOptionals<Plain>.self),
        model({ $0.part() }, FastPart<Fast>.self, FastPart<Plain>.self),
        model({ $0.foundationTypes() }, FastFoundationTypes<Fast>.self, FastFoundationTypes<Plain>.self),
        model({ $0.collections() }, FastCollections<Fast>.self, FastCollections<Plain>.self),
        model({ $0.inside() }, FastInside<Fast>.self, FastInside<Plain>.self),
        model({ $0.array(2) { $0.inside() } }, [FastInside<Fast>].self, [FastInside<Plain>].self),
        model({ $0.array(3) { $0.part() } }, [FastPart<Fast>].self, [FastPart<Plain>].self),
        model({ $0.array(3) { $0.part() } }, [FastPart<Fast>?].self, [FastPart<Plain>?].self),
        model({ $0.optionals() }, FastOptionals<Fast>?.self, FastOptionals<Plain>?.self),
        model(
            { $0.object([("a", { $0.part() }), ("b", { $0.part() })]) }, [String: FastPart<Fast>].self,
            [String: FastPart<Plain>].self),
    ]

    private static func model<FastValue: Codable & Sendable, PlainValue: Codable & Sendable>(
        _ make: @escaping @Sendable (inout FastDocuments) -> String, _ fast: FastValue.Type, _ plain: PlainValue.Type
    ) -> Model {
        Model(make: make, fast: { outcome(fast, $0, $1) }, plain: { outcome(plain, $0, $1) })
    }

    /// The value as Foundation encodes it by `Codable`, or the error with all that it says.
    private static func outcome<Value: Codable>(_ type: Value.Type, _ decoder: JsonDecoder, _ data: Data) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return String(decoding: try encoder.encode(decoder.decode(type, from: data)), as: UTF8.self)
        } catch let error as DecodingError {
            return text(of: error)
        } catch {
            return "\(error)"
        }
    }

    static func text(of error: DecodingError) -> String {
        func text(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { "\($0.stringValue)|\($0.intValue?.description ?? "")" }
            return "at \(path): \(context.debugDescription)"
        }
        let text =
            switch error {
            case .typeMismatch(let type, let context): "mismatch of \(type) \(text(context))"
            case .valueNotFound(let type, let context): "no value of \(type) \(text(context))"
            case .keyNotFound(let key, let context): "no key \(key.stringValue) \(text(context))"
            case .dataCorrupted(let context): "corrupted \(text(context))"
            @unknown default: "\(error)"
            }
        return text.replacing("CodingKeys(", with: "JsonKey(").replacing("<Fast>", with: "").replacing(
            "<Plain>", with: "")
    }

    @Test func documentsGiveTheSameValuesErrorsAndPaths() throws {
        var documents = FastDocuments(seed: Self.seed)
        var good = 0
        for index in 0..<Self.count {
            let model = Self.models[index % Self.models.count]
            let decoder = Self.decoders[index / Self.models.count % Self.decoders.count]
            let text = documents.next(model.make)
            let data = Data(text.utf8)
            let expected = model.plain(decoder, data)
            let own = model.fast(decoder, data)
            if expected.hasPrefix("{") || expected.hasPrefix("[") { good += 1 }
            if own != expected {
                Issue.record("seed \(Self.seed), document \(index): \(own)\nnot \(expected)\nfor \(text)")
                return
            }
        }
        #expect(good > Self.count / 5 && good < Self.count * 4 / 5, "good and bad documents, \(good) of \(Self.count)")
    }
}
