import HttpMessages
import Models

/// A value of a query or a form.
public indirect enum QueryValue: Equatable, Sendable {
    /// Text, sent as it is.
    case string(String)
    /// A Boolean; a ``URLQueryBoolEncodingStrategy`` writes it.
    case bool(Bool)
    /// A number, as text.
    case number(String)
    /// Several values of one name; a ``URLQueryArrayKeyEncodingStrategy`` writes the name.
    case array([QueryValue])
    /// Named values; a ``URLQueryDictionaryKeyEncodingStrategy`` writes the names.
    case dictionary([String: QueryValue])
    /// No value. It is left out.
    case none
}

extension QueryValue {
    /// Converts a Swift value. It accepts these types:
    ///
    /// - strings, substrings, characters, Booleans and numbers, those of Foundation included
    /// - arrays, sets and dictionaries of these
    /// - optionals of these, and enums with such a raw value
    /// - any other ``QueryConvertible``, such as a date or a URL
    /// - any other `LosslessStringConvertible`, which becomes its text
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unsupportedQueryValue`` for other types.
    init(_ value: Any, at path: String) throws {
        if let number = QueryValue(foundationNumber: value) {
            self = number
            return
        }
        switch value {
        case let value as QueryValue: self = value
        case let value as Bool: self = .bool(value)
        case let value as String: self = .string(value)
        case let value as any BinaryInteger: self = .number(String(describing: value))
        case let value as any BinaryFloatingPoint: self = .number(String(describing: value))
        case let value as any QueryOptional:
            self = try value.wrapped.map { try QueryValue($0, at: path) } ?? .none
        case let value as [String: Any]:
            self = .dictionary(
                try Dictionary(
                    uniqueKeysWithValues: value.map { ($0.key, try QueryValue($0.value, at: "\(path)[\($0.key)]")) }))
        case let value as [Any]:
            self = .array(try value.map { try QueryValue($0, at: "\(path)[]") })
        case let value as any Sequence where value is any SetAlgebra:
            // A set has no order. Its elements are sorted, so that equal requests have equal URLs.
            let elements = try value.map { try QueryValue($0, at: "\(path)[]") }
            self = .array(elements.sorted { String(describing: $0) < String(describing: $1) })
        case let value as any RawRepresentable: self = try QueryValue(value.rawValue, at: path)
        case let value as any QueryConvertible: self = value.queryValue
        case let value as any LosslessStringConvertible: self = .string(value.description)
        default:
            throw RequestBuildingError(
                .unsupportedQueryValue,
                "The query value \"\(path)\" is of type \(type(of: value)), which has no form in a query.")
        }
    }

    /// Converts a Foundation number (`NSNumber`). Returns nil for anything else.
    ///
    /// A cast to `Bool` succeeds for every `NSNumber` that is 0 or 1. Only the class identifies a Boolean. Without
    /// importing Foundation only the name of the class can be checked.
    private init?(foundationNumber value: Any) {
        guard type(of: value) is AnyClass, value is Double || value is Int64 || value is UInt64 else { return nil }
        if String(describing: type(of: value)).hasSuffix("CFBoolean"), let value = value as? Bool {
            self = .bool(value)
        } else {
            self = .number(String(describing: value))
        }
    }
}

extension QueryValue {
    /// Returns the members of an object; none for null.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unencodableParameters`` for any other JSON
    ///   value.
    static func members(of json: Json, encoding: String) throws -> [String: QueryValue] {
        if json.isNull { return [:] }
        guard let members = json.object else {
            throw RequestBuildingError(
                .unencodableParameters, "Only an object can be written as a \(encoding): its members give the names.")
        }
        return Dictionary(members.map { ($0.key, QueryValue($0.value)) }, uniquingKeysWith: { $1 })
    }

    private init(_ json: Json) {
        if let string = json.string {
            self = .string(string)
        } else if let bool = json.bool {
            self = .bool(bool)
        } else if let array = json.array {
            self = .array(array.map { QueryValue($0) })
        } else if let members = json.object {
            self = .dictionary(
                Dictionary(members.map { ($0.key, QueryValue($0.value)) }, uniquingKeysWith: { $1 }))
        } else if json.isNull {
            self = .none
        } else {
            self = .number(json.description)
        }
    }
}

/// An optional of any type, behind an `Any`.
private protocol QueryOptional {
    var wrapped: Any? { get }
}

extension Optional: QueryOptional {
    var wrapped: Any? {
        self
    }
}
