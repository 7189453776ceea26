public import Models
public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The values of a query or of a form, by name.
///
/// ```swift
/// let query: UrlQuery = ["page": 2, "tags": ["a", "b"], "since": date, "after": cursor]  // nil is left out
/// ```
public struct UrlQuery: Sendable, ExpressibleByDictionaryLiteral {
    /// The values; a name is written once for each element of an array.
    public private(set) var values: [String: QueryValue] = [:]
    /// What was wrong with the values, if anything was: the error of every request.
    package private(set) var problem: RequestBuildingError?

    /// No values.
    public init() {}

    /// Named values; nil is left out, and the last of several values of one name counts.
    public init(dictionaryLiteral elements: (String, (any QueryConvertible)?)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The members of a value that is encoded as a JSON object, such as a struct.
    ///
    /// - Parameters:
    ///   - model: the value.
    ///   - encoder: how it is encoded; dates in ISO 8601 without it.
    public init(_ model: some Encodable, encoder: JsonEncoder? = nil) {
        do {
            let json = try Json(encoding: model, encoder: encoder ?? .forQueries)
            values = try QueryValue.members(of: json, encoding: "query")
        } catch let error as RequestBuildingError {
            problem = error
        } catch {
            problem = RequestBuildingError(.unencodableParameters, "A query could not be encoded.", cause: error)
        }
    }

    /// The value of a name; nil for none.
    public subscript(name: String) -> (any QueryConvertible)? {
        get { values[name] }
        set { values[name] = newValue?.queryValue }
    }

    /// Adds the values of `other`, which replace those of the same names.
    public mutating func merge(_ other: UrlQuery) {
        values.merge(other.values) { $1 }
        problem = problem ?? other.problem
    }
}

extension JsonEncoder {
    fileprivate static var forQueries: JsonEncoder {
        var encoder = JsonEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}

extension UrlQuery: MaskedValue {
    /// The names, in their order. No value.
    public var description: String {
        "query of [\(values.keys.sorted().joined(separator: ", "))]"
    }
}

/// A type whose values can stand in a query or a form.
///
/// An enum with raw values needs the name of the protocol only: `enum Order: String, QueryConvertible { … }`.
public protocol QueryConvertible: Sendable {
    /// The value.
    var queryValue: QueryValue { get }
}

extension QueryValue: QueryConvertible {
    /// The value itself.
    public var queryValue: QueryValue { self }
}

extension String: QueryConvertible {
    /// The text.
    public var queryValue: QueryValue { .string(self) }
}

extension Substring: QueryConvertible {
    /// The text.
    public var queryValue: QueryValue { .string(String(self)) }
}

extension Bool: QueryConvertible {
    /// The Boolean; a `URLQueryBoolEncodingStrategy` writes it.
    public var queryValue: QueryValue { .bool(self) }
}

extension QueryConvertible where Self: BinaryInteger {
    /// The number.
    public var queryValue: QueryValue { .number(String(describing: self)) }
}

extension Int: QueryConvertible {}
extension Int8: QueryConvertible {}
extension Int16: QueryConvertible {}
extension Int32: QueryConvertible {}
extension Int64: QueryConvertible {}
extension UInt: QueryConvertible {}
extension UInt8: QueryConvertible {}
extension UInt16: QueryConvertible {}
extension UInt32: QueryConvertible {}
extension UInt64: QueryConvertible {}

extension Double: QueryConvertible {
    /// The number as Swift prints it: `1.0`.
    public var queryValue: QueryValue { .number(description) }
}

extension Float: QueryConvertible {
    /// The number as Swift prints it: `1.0`.
    public var queryValue: QueryValue { .number(description) }
}

extension Decimal: QueryConvertible {
    /// The number.
    public var queryValue: QueryValue { .number(description) }
}

extension Date: QueryConvertible {
    /// In ISO 8601 (RFC 3339): `2026-03-01T12:00:00Z`.
    public var queryValue: QueryValue { .string(formatted(.iso8601)) }
}

extension UUID: QueryConvertible {
    /// Its text, in capitals.
    public var queryValue: QueryValue { .string(uuidString) }
}

extension URL: QueryConvertible {
    /// Its text.
    public var queryValue: QueryValue { .string(absoluteString) }
}

extension QueryConvertible where Self: RawRepresentable, RawValue: QueryConvertible {
    /// That of the raw value.
    public var queryValue: QueryValue { rawValue.queryValue }
}

extension Array: QueryConvertible where Element: QueryConvertible {
    /// The elements, each under the same name.
    public var queryValue: QueryValue { .array(map(\.queryValue)) }
}

extension Set: QueryConvertible where Element: QueryConvertible {
    /// The elements, sorted by their texts, so that equal requests have equal URLs.
    public var queryValue: QueryValue {
        .array(map(\.queryValue).sorted { String(describing: $0) < String(describing: $1) })
    }
}

extension Dictionary: QueryConvertible where Key == String, Value: QueryConvertible {
    /// The members, under the name with their keys.
    public var queryValue: QueryValue { .dictionary(mapValues(\.queryValue)) }
}

extension Optional: QueryConvertible where Wrapped: QueryConvertible {
    /// That of the value; nil is left out.
    public var queryValue: QueryValue { self?.queryValue ?? .none }
}
