#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes `Encodable` types as JSON text, written straight into a buffer of bytes.
///
/// Strategies, defaults and errors are those of Foundation's `JSONEncoder`; `Docs/Models.md` lists the differences. A
/// value, so a copy can be changed freely; one encoder serves any number of threads at once.
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
    /// - Throws: `EncodingError`; what the value's own `encode(to:)` throws passes unchanged.
    public func encode(_ value: some Encodable) throws -> Data {
        try foundation.encode(value)
    }

    private var foundation: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = JSONEncoder.OutputFormatting(rawValue: outputFormatting.rawValue)
        for (key, value) in userInfo { encoder.userInfo[key] = value }
        return encoder
    }
}
