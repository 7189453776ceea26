#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes `Encodable` types as JSON text, directly into a buffer of bytes.
///
/// Strategies, defaults and errors are those of Foundation's `JSONEncoder`; `Docs/Models.md` lists the differences. An
/// encoder is a value: changing a copy leaves the original unchanged. Any number of threads can use one encoder at
/// once.
///
/// ```swift
/// var encoder = JsonEncoder()
/// encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
/// let data = try encoder.encode(user)
/// ```
public struct JsonEncoder: Sendable {
    /// An encoder with default settings.
    public static let `default` = JsonEncoder()

    var settings = Settings()

    /// An encoder with default settings.
    public init() {}

    /// Encodes a value as JSON text in UTF-8.
    ///
    /// - Throws: `EncodingError`. Errors of the value's own `encode(to:)` are rethrown unchanged.
    public func encode(_ value: some Encodable) throws -> Data {
        let root = JsonValueEncoder(apart: settings, capacity: 512)
        defer { root.retire() }
        try root.encodeWhole(value)
        if root.content == .empty, root.types[type(of: value)].pointee.encodesItself {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "Top-level \(type(of: value)) did not encode any values.")
            throw EncodingError.invalidValue(value, context)
        }
        root.end()
        try root.writer.throwMisuse(by: value)
        return root.writer.data
    }
}
