#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JsonValueDecoder {
    /// Reads a type that the decoder handles itself, without the type's own `init(from:)`.
    @inline(never)
    func special<Value>(
        _ type: Value.Type, _ kind: JsonTypeKind.Special, at node: Int, _ path: () -> [any CodingKey]
    ) throws -> Value {
        // The kind guarantees that the argument of each `sameType` has the type `Value`.
        switch kind {
        case .string: sameType(try string(at: node, path()))
        case .int: sameType(try integer(Int.self, at: node, path()))
        case .double: sameType(try double(at: node, path()))
        case .bool: sameType(try bool(at: node, path()))
        case .strings:
            sameType(try elements(of: array(at: node, path)) { try string(at: $0, path() + [JsonKey(index: $1)]) })
        case .ints:
            sameType(
                try elements(of: array(at: node, path)) { try integer(Int.self, at: $0, path() + [JsonKey(index: $1)]) }
            )
        case .doubles:
            sameType(try elements(of: array(at: node, path)) { try double(at: $0, path() + [JsonKey(index: $1)]) })
        case .date: sameType(try date(at: node, path))
        case .url: sameType(try url(at: node, path))
        case .data: sameType(try data(at: node, path))
        case .decimal: sameType(try decimal(at: node, path))
        case .uuid: sameType(try uuid(at: node, path))
        case .json: sameType(json(at: node))
        }
    }

    private func url(at node: Int, _ path: () -> [any CodingKey]) throws -> URL {
        if word(node).kind == JsonWord.null { throw mismatch(URL.self, at: node, path()) }
        guard let url = URL(parsing: try string(at: node, path())) else {
            throw corrupted(path(), "Invalid URL string.")
        }
        return url
    }

    /// Runs the body on the bytes of a string.
    private func withText<Result>(
        at node: Int, _ path: () -> [any CodingKey], _ body: (UnsafeBufferPointer<UInt8>) -> Result?
    ) throws -> Result? {
        let word = word(node)
        if word.kind == JsonWord.string { return body(UnsafeBufferPointer(start: bytes + word.low, count: word.high)) }
        var text = try string(at: node, path())
        return text.withUTF8(body)
    }

    private func uuid(at node: Int, _ path: () -> [any CodingKey]) throws -> UUID {
        guard let uuid = try withText(at: node, path, UUID.parse) else {
            throw corrupted(path(), "Attempted to decode UUID from invalid UUID string.")
        }
        return uuid
    }

    private func decimal(at node: Int, _ path: () -> [any CodingKey]) throws -> Decimal {
        let word = word(node)
        guard word.isNumber else { throw mismatch(Decimal.self, at: node, path()) }
        guard let value = JsonNumber.decimal(JsonText.verbatim(word, in: bytes)) else {
            throw unrepresentable(Decimal.self, at: node, path())
        }
        return value
    }

    private func data(at node: Int, _ path: () -> [any CodingKey]) throws -> Data {
        if word(node).kind == JsonWord.null { throw mismatch(Data.self, at: node, path()) }
        switch settings.data {
        case .base64:
            guard let data = Data(base64Encoded: try string(at: node, path())) else {
                throw corrupted(path(), "Encountered Data is not valid Base64.")
            }
            return data
        case .deferredToData: return try Data(from: decoder(at: node, path))
        case .custom(let decode): return try decode(decoder(at: node, path))
        }
    }

    private func date(at node: Int, _ path: () -> [any CodingKey]) throws -> Date {
        if word(node).kind == JsonWord.null { throw mismatch(Date.self, at: node, path()) }
        switch settings.dates {
        case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double(at: node, path()))
        case .secondsSince1970: return Date(timeIntervalSince1970: try double(at: node, path()))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(at: node, path()) / 1000)
        case .iso8601:
            guard let date = try withText(at: node, path, Iso8601Date.parse) else {
                throw corrupted(path(), "Expected date string to be ISO8601-formatted.")
            }
            return date
        case .formatted(let parse):
            guard let date = try parse(try string(at: node, path())) else {
                throw corrupted(path(), "Date string does not match format expected by formatter.")
            }
            return date
        case .custom(let decode): return try decode(decoder(at: node, path))
        }
    }

    /// A decoder for a custom strategy, or for `Data`'s own `init(from:)`.
    private func decoder(at node: Int, _ path: () -> [any CodingKey]) -> JsonValueDecoder {
        if node == self.node { return self }
        let key: any CodingKey = path().last ?? JsonKey("")
        return child(at: node, key: key)
    }
}
