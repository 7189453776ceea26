public import Models

/// The coders of `Codable` values that are their only model layer. Models with two layers have their own coders.
public struct JsonCoders: Sendable {
    /// Encodes values.
    public var encoder = JsonEncoder.default
    /// Decodes values.
    public var decoder = JsonDecoder.default

    /// Coders with default settings.
    public init() {}

    /// Encodes the values of queries and forms: as ``encoder``, but dates in ISO 8601, as all dates of a query are.
    var queryEncoder: JsonEncoder {
        var encoder = encoder
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    /// How keys are written in JSON.
    public enum Keys: Sendable {
        /// As the types name them: the default.
        case asNamed
        /// `firstName` as `first_name`.
        case snakeCase
    }

    /// How dates are written in JSON.
    public enum Dates: Sendable {
        /// As `Date` codes itself, a number of seconds since 2001-01-01T00:00:00Z: the default, and Foundation's.
        case secondsSinceReferenceDate
        /// `2026-03-01T12:00:00Z` (ISO 8601, RFC 3339). A date outside the years 1 to 9999 is an `EncodingError`.
        case iso8601
        /// A number of seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// A number of milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
    }

    /// How both coders convert keys.
    public var keys = Keys.asNamed {
        didSet {
            encoder.keyEncodingStrategy = keys == .snakeCase ? .convertToSnakeCase : .useDefaultKeys
            decoder.keyDecodingStrategy = keys == .snakeCase ? .convertFromSnakeCase : .useDefaultKeys
        }
    }

    /// How both coders represent dates.
    public var dates = Dates.secondsSinceReferenceDate {
        didSet {
            switch dates {
            case .secondsSinceReferenceDate:
                encoder.dateEncodingStrategy = .deferredToDate
                decoder.dateDecodingStrategy = .deferredToDate
            case .iso8601:
                encoder.dateEncodingStrategy = .iso8601
                decoder.dateDecodingStrategy = .iso8601
            case .secondsSince1970:
                encoder.dateEncodingStrategy = .secondsSince1970
                decoder.dateDecodingStrategy = .secondsSince1970
            case .millisecondsSince1970:
                encoder.dateEncodingStrategy = .millisecondsSince1970
                decoder.dateDecodingStrategy = .millisecondsSince1970
            }
        }
    }
}
