#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        /// The value that the function reads.
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    /// How `Data` is written.
    public enum DataDecodingStrategy: Sendable {
        /// As `Data` decodes itself: an array of bytes.
        case deferredToData
        /// A string in Base64; the default.
        case base64
        /// The value that the function reads.
        case custom(@Sendable (any Decoder) throws -> Data)
    }

    /// The strings for infinities and NaN, which JSON has no numbers for.
    public enum NonConformingFloatDecodingStrategy: Sendable, Hashable {
        /// None: they are errors; the default.
        case `throw`
        /// These strings.
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

    /// The strings for infinities and NaN.
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
    final class Settings: @unchecked Sendable {  // changed only before it is shared
        var keys = KeyDecodingStrategy.useDefaultKeys
        var dates = DateDecodingStrategy.deferredToDate
        var data = DataDecodingStrategy.base64
        var floats = NonConformingFloatDecodingStrategy.throw
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        var limits = JsonLimits()
        /// Whether keys are compared as they are in the document.
        var keepsKeys: Bool { if case .useDefaultKeys = keys { true } else { false } }

        /// Those of a new decoder.
        static let standard = Settings()

        private init() {}

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
        let settings = Settings(copying: settings)
        body(settings)
        changed = settings
    }
}

extension JsonDecoder.Settings {
    /// The name of a coding key for a key of the document.
    func convert(_ key: String, _ path: [any CodingKey]) -> String {
        switch keys {
        case .useDefaultKeys: key
        case .convertFromSnakeCase: JsonKeyConversion.camelCase(key)
        case .custom(let convert): convert(path + [JsonKey(key)]).stringValue
        }
    }
}
