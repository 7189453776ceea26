#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes `Decodable` types from JSON in one pass over the bytes and one over the resulting tape.
///
/// Strategies, defaults, errors and coding paths are those of Foundation's `JSONDecoder`; `Docs/Models.md` lists the
/// differences. A value, so a copy can be changed freely; one decoder serves any number of threads at once.
///
/// ```swift
/// var decoder = JsonDecoder()
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let user = try decoder.decode(User.self, from: data)
/// ```
public struct JsonDecoder: Sendable {
    /// A decoder with default settings.
    public static let `default` = JsonDecoder()

    var settings = Settings()

    /// A decoder with default settings.
    public init() {}

    /// Decodes a value from JSON text in UTF-8.
    ///
    /// - Throws: `DecodingError`; its `dataCorrupted` has a ``JsonError`` as underlying error where the text is no
    ///   JSON or exceeds the limits. What the type's own `init(from:)` throws passes unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decode(type, from: try parse(data))
    }

    /// Decodes a value from JSON that is parsed already.
    ///
    /// - Throws: `DecodingError`. What the type's own `init(from:)` throws passes unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from json: Json) throws -> Value {
        try foundation.decode(type, from: json.data)
    }

    private func parse(_ data: Data) throws -> Json {
        do {
            return try Json(parsing: data, limits: limits)
        } catch {
            let context = DecodingError.Context(
                codingPath: [], debugDescription: "The given data was not valid JSON.", underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }

    private var foundation: JSONDecoder {
        let decoder = JSONDecoder()
        for (key, value) in userInfo { decoder.userInfo[key] = value }
        if case .convertFromSnakeCase = keyDecodingStrategy { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        return decoder
    }
}

extension JsonDecoder {
    /// How keys of JSON objects become coding keys.
    public enum KeyDecodingStrategy: Sendable {
        /// Keys stay as they are; the default.
        case useDefaultKeys
        /// `first_name` becomes `firstName`; underscores at either end stay.
        case convertFromSnakeCase
        /// The function gets the path of the key, the key itself last, and returns what the type calls it.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// How a `Date` is written.
    public enum DateDecodingStrategy: Sendable {
        /// As `Date` decodes itself: seconds since 2001-01-01T00:00:00Z; the default.
        case deferredToDate
        /// A number of seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// A number of milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// A string such as `2026-03-01T12:00:00Z` (ISO 8601, RFC 3339).
        case iso8601
        /// A string that the function reads, for example a date formatter's `date(from:)`; nil means it cannot.
        case formatted(@Sendable (String) throws -> Date?)
        /// Whatever the function reads.
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    /// How `Data` is written.
    public enum DataDecodingStrategy: Sendable {
        /// As `Data` decodes itself: an array of bytes.
        case deferredToData
        /// A string in Base64; the default.
        case base64
        /// Whatever the function reads.
        case custom(@Sendable (any Decoder) throws -> Data)
    }

    /// What stands for infinities and NaN, which JSON has no numbers for.
    public enum NonConformingFloatDecodingStrategy: Sendable, Hashable {
        /// Nothing does; the default.
        case `throw`
        /// These strings do.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How keys of JSON objects become coding keys.
    public var keyDecodingStrategy: KeyDecodingStrategy {
        get { settings.keys }
        set { change { $0.keys = newValue } }
    }

    /// How a `Date` is written.
    public var dateDecodingStrategy: DateDecodingStrategy {
        get { settings.dates }
        set { change { $0.dates = newValue } }
    }

    /// How `Data` is written.
    public var dataDecodingStrategy: DataDecodingStrategy {
        get { settings.data }
        set { change { $0.data = newValue } }
    }

    /// What stands for infinities and NaN.
    public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
        get { settings.floats }
        set { change { $0.floats = newValue } }
    }

    /// Values that a type's `init(from:)` finds in `decoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { settings.userInfo }
        set { change { $0.userInfo = newValue } }
    }

    /// What a document may cost at most.
    public var limits: JsonLimits {
        get { settings.limits }
        set { change { $0.limits = newValue } }
    }

    /// The settings in one box, so that a decoder is one word to copy. A box that is shared is never changed.
    final class Settings: @unchecked Sendable {
        // Unchecked: `change` copies the box before it changes it, so that no box changes once it is shared.
        var keys = KeyDecodingStrategy.useDefaultKeys
        var dates = DateDecodingStrategy.deferredToDate
        var data = DataDecodingStrategy.base64
        var floats = NonConformingFloatDecodingStrategy.throw
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        var limits = JsonLimits()

        init() {}

        init(copying other: Settings) {
            keys = other.keys
            dates = other.dates
            data = other.data
            floats = other.floats
            userInfo = other.userInfo
            limits = other.limits
        }
    }

    private mutating func change(_ body: (Settings) -> Void) {
        settings = Settings(copying: settings)
        body(settings)
    }
}
