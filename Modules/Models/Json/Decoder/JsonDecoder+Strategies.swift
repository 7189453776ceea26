#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JsonDecoder {
    /// How keys of JSON objects become coding keys. Keys of dictionaries stay as they are.
    public enum KeyDecodingStrategy: Sendable {
        /// Keys stay as they are; the default.
        case useDefaultKeys
        /// `first_name` becomes `firstName`; underscores at either end stay.
        case convertFromSnakeCase
        /// The function receives the coding path, which ends with the key, and returns the type's coding key.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// How a `Date` is represented in JSON.
    public enum DateDecodingStrategy: Sendable {
        /// As `Date` decodes itself: seconds since 2001-01-01T00:00:00Z; the default.
        case deferredToDate
        /// A number of seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// A number of milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// A string such as `2026-03-01T12:00:00Z` (ISO 8601, RFC 3339).
        case iso8601
        /// A string that the function parses, for example a date formatter's `date(from:)`. If it returns nil, decoding
        /// fails with `DecodingError.dataCorrupted`.
        case formatted(@Sendable (String) throws -> Date?)
        /// Any value, which the function reads from the decoder.
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    /// How `Data` is represented in JSON.
    public enum DataDecodingStrategy: Sendable {
        /// As `Data` decodes itself: an array of bytes.
        case deferredToData
        /// A string in Base64; the default.
        case base64
        /// Any value, which the function reads from the decoder.
        case custom(@Sendable (any Decoder) throws -> Data)
    }

    /// The strings that stand for infinities and NaN, which JSON numbers can't represent.
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// No strings: infinities and NaN are errors; the default.
        case `throw`
        /// These strings.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How keys of JSON objects become coding keys.
    public var keyDecodingStrategy: KeyDecodingStrategy {
        get { settings.keys }
        set { change { $0.keys = newValue } }
    }

    /// How a `Date` is represented in JSON.
    public var dateDecodingStrategy: DateDecodingStrategy {
        get { settings.dates }
        set { change { $0.dates = newValue } }
    }

    /// How `Data` is represented in JSON.
    public var dataDecodingStrategy: DataDecodingStrategy {
        get { settings.data }
        set { change { $0.data = newValue } }
    }

    /// The strings that stand for infinities and NaN.
    public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
        get { settings.floats }
        set { change { $0.floats = newValue } }
    }

    /// Values that a type's `init(from:)` finds in `decoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { settings.userInfo }
        set { change { $0.userInfo = newValue } }
    }

    /// The maximum depth and size of a document.
    public var limits: JsonLimits {
        get { settings.limits }
        set { change { $0.limits = newValue } }
    }

    /// The settings as one object, so that a decoder is one word to copy.
    ///
    /// `@unchecked Sendable` is sound because all properties are `Sendable`, and only `change(_:)` sets them: those of a
    /// copy that no other thread has a reference to yet (copy on write).
    final class Settings: @unchecked Sendable {
        fileprivate(set) var keys = KeyDecodingStrategy.useDefaultKeys
        fileprivate(set) var dates = DateDecodingStrategy.deferredToDate
        fileprivate(set) var data = DataDecodingStrategy.base64
        fileprivate(set) var floats = NonConformingFloatDecodingStrategy.throw
        fileprivate(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        fileprivate(set) var limits = JsonLimits()
        /// Whether keys are compared without conversion.
        var keepsKeys: Bool { if case .useDefaultKeys = keys { true } else { false } }

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
    /// Converts a key of the document to the name of a coding key.
    func convert(_ key: String, _ path: [any CodingKey]) -> String {
        switch keys {
        case .useDefaultKeys: key
        case .convertFromSnakeCase: JsonKeyConversion.camelCase(key)
        case .custom(let convert): convert(path + [JsonKey(key)]).stringValue
        }
    }
}
