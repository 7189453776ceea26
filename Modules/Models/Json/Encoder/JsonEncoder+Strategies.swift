#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JsonEncoder {
    /// The format of the text. By default it has no white space, and `/` is written as `\/`, as by Foundation's
    /// encoder.
    public struct OutputFormatting: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// One member or element per line, indented by two spaces per level.
        public static let prettyPrinted = OutputFormatting(rawValue: 1 << 0)
        /// Members sorted by the UTF-8 bytes of their keys.
        public static let sortedKeys = OutputFormatting(rawValue: 1 << 1)
        /// `/` is not escaped.
        public static let withoutEscapingSlashes = OutputFormatting(rawValue: 1 << 3)
    }

    /// How coding keys become keys of JSON objects. Keys of dictionaries stay as they are.
    public enum KeyEncodingStrategy: Sendable {
        /// Keys stay as they are; the default.
        case useDefaultKeys
        /// `firstName` becomes `first_name`; underscores at either end stay.
        case convertToSnakeCase
        /// The function receives the coding path, which ends with the key, and returns the key for JSON.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// How a `Date` is written.
    public enum DateEncodingStrategy: Sendable {
        /// As `Date` encodes itself: seconds since 2001-01-01T00:00:00Z; the default.
        case deferredToDate
        /// A number of seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// A number of milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// A string such as `2026-03-01T12:00:00Z` (ISO 8601, RFC 3339). A date outside the years 1 to 9999 is an
        /// `EncodingError`.
        case iso8601
        /// The string that the function returns, for example a date formatter's `string(from:)`.
        case formatted(@Sendable (Date) throws -> String)
        /// The value that the function encodes; `{}` if it encodes nothing.
        case custom(@Sendable (Date, any Encoder) throws -> Void)
    }

    /// How `Data` is written.
    public enum DataEncodingStrategy: Sendable {
        /// As `Data` encodes itself: an array of bytes.
        case deferredToData
        /// A string in Base64; the default.
        case base64
        /// The value that the function encodes; `{}` if it encodes nothing.
        case custom(@Sendable (Data, any Encoder) throws -> Void)
    }

    /// The strings that stand for infinities and NaN, which JSON numbers can't represent.
    public enum NonConformingFloatEncodingStrategy: Sendable {
        /// No strings: infinities and NaN are errors; the default.
        case `throw`
        /// These strings.
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// The format of the text.
    public var outputFormatting: OutputFormatting {
        get { settings.format }
        set { change { $0.format = newValue } }
    }

    /// How coding keys become keys of JSON objects.
    public var keyEncodingStrategy: KeyEncodingStrategy {
        get { settings.keys }
        set { change { $0.keys = newValue } }
    }

    /// How a `Date` is written.
    public var dateEncodingStrategy: DateEncodingStrategy {
        get { settings.dates }
        set { change { $0.dates = newValue } }
    }

    /// How `Data` is written.
    public var dataEncodingStrategy: DataEncodingStrategy {
        get { settings.data }
        set { change { $0.data = newValue } }
    }

    /// The strings that stand for infinities and NaN.
    public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
        get { settings.floats }
        set { change { $0.floats = newValue } }
    }

    /// Values that a type's `encode(to:)` finds in `encoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { settings.userInfo }
        set { change { $0.userInfo = newValue } }
    }

    /// The settings as one object, so that an encoder is one word to copy.
    ///
    /// `@unchecked Sendable` is sound because all properties are `Sendable`, and only `change(_:)` sets them: those of a
    /// copy that no other thread has a reference to yet (copy on write).
    final class Settings: @unchecked Sendable {
        fileprivate(set) var format: OutputFormatting = []
        fileprivate(set) var keys = KeyEncodingStrategy.useDefaultKeys
        fileprivate(set) var dates = DateEncodingStrategy.deferredToDate
        fileprivate(set) var data = DataEncodingStrategy.base64
        fileprivate(set) var floats = NonConformingFloatEncodingStrategy.throw
        fileprivate(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        /// Whether keys are written without conversion.
        var keepsKeys: Bool { if case .useDefaultKeys = keys { true } else { false } }

        init() {}

        init(copying other: Settings) {
            format = other.format
            keys = other.keys
            dates = other.dates
            data = other.data
            floats = other.floats
            userInfo = other.userInfo
        }
    }

    private mutating func change(_ body: (Settings) -> Void) {
        settings = Settings(copying: settings)
        body(settings)
    }
}

extension JsonEncoder.Settings {
    /// Converts a coding key to a key of the document.
    func convert(_ key: some CodingKey, _ path: @autoclosure () -> [any CodingKey]) -> String {
        switch keys {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: JsonKeyConversion.snakeCase(key.stringValue)
        case .custom(let convert): convert(path() + [key]).stringValue
        }
    }

    /// The string that stands for an infinity or NaN. Throws if the strategy has none.
    func text<Value: BinaryFloatingPoint>(
        notFinite value: Value, _ path: () -> [any CodingKey]
    ) throws(EncodingError) -> String {
        guard case .convertToString(let positive, let negative, let nan) = floats else {
            throw .notFinite(value, path())
        }
        return value.isNaN ? nan : value < 0 ? negative : positive
    }
}

extension EncodingError {
    /// The error of a number that JSON can't express.
    static func notFinite<Value>(_ value: Value, _ path: [any CodingKey]) -> EncodingError {
        let context = Context(
            codingPath: path, debugDescription: "Unable to encode \(Value.self).\(value) directly in JSON.")
        return .invalidValue(value, context)
    }
}

extension JsonWriter.Owner {
    convenience init(_ format: JsonEncoder.OutputFormatting, capacity: Int) {
        self.init(
            isPretty: format.contains(.prettyPrinted), sortsKeys: format.contains(.sortedKeys),
            escapesSlashes: !format.contains(.withoutEscapingSlashes), capacity: capacity)
    }
}
