import HttpMessages
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
    /// The values by name. An array is written as one field for each element.
    package private(set) var values: [String: QueryValue] = [:]
    /// How the names of arrays are written in some of the values, by name.
    package private(set) var arrayStrategies: [String: any URLQueryArrayKeyEncodingStrategy] = [:]
    /// The error of the values, if there was one. Every request fails with it.
    package private(set) var problem: RequestBuildingError?

    package init() {}

    /// Creates a query of named values. A nil value is left out. Of several values with the same name the last one
    /// counts.
    public init(dictionaryLiteral elements: (String, (any QueryConvertible)?)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Creates a query of the members of a value that is encoded as a JSON object, such as a struct. A value that can't
    /// be encoded fails every request that uses the query.
    ///
    /// - Parameters:
    ///   - model: the value.
    ///   - encoder: how the value is encoded; nil writes dates in ISO 8601.
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

    /// The value with this name; nil where there is none. Setting nil removes it.
    public subscript(name: String) -> (any QueryConvertible)? {
        get { values[name] }
        set {
            values[name] = newValue?.queryValue
            arrayStrategies[name] = nil
        }
    }

    /// Sets the value with this name, and how the names of its arrays are written.
    package mutating func set(
        _ name: String, _ value: (any QueryConvertible)?, arrays: any URLQueryArrayKeyEncodingStrategy
    ) {
        self[name] = value
        if values[name] != nil { arrayStrategies[name] = arrays }
    }

    /// Removes the values that are for their origin only.
    package mutating func remove(_ secrets: OriginSecrets) {
        values = values.filter { !secrets.contains(parameter: $0.key, $0.value) }
    }

    /// Keeps only some of the values.
    package mutating func filter(_ isKept: (String, QueryValue) -> Bool) {
        values = values.filter { isKept($0.key, $0.value) }
    }

    /// Adds the values of `other`, which replace those with the same name.
    package mutating func merge(_ other: UrlQuery) {
        values.merge(other.values) { $1 }
        for name in other.values.keys { arrayStrategies[name] = other.arrayStrategies[name] }
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
    /// The sorted names, without their values.
    public var description: String {
        "query of [\(values.keys.sorted().joined(separator: ", "))]"
    }
}

/// A type whose values can be written in a query or a form.
///
/// An enum with raw values only needs to declare the conformance: `enum Order: String, QueryConvertible { … }`.
public protocol QueryConvertible: Sendable {
    /// The value as a query value.
    var queryValue: QueryValue { get }
}

extension QueryValue: QueryConvertible {
    /// The value itself.
    public var queryValue: QueryValue { self }
}

extension QueryConvertible where Self: StringProtocol {
    /// The text.
    public var queryValue: QueryValue { .string(String(self)) }
}

extension String: QueryConvertible {}
extension Substring: QueryConvertible {}

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

extension QueryConvertible where Self: BinaryFloatingPoint {
    /// The number as Swift prints it: `1.0`.
    public var queryValue: QueryValue { .number(String(describing: self)) }
}

extension Double: QueryConvertible {}
extension Float: QueryConvertible {}

extension Decimal: QueryConvertible {
    /// The number.
    public var queryValue: QueryValue { .number(description) }
}

extension Date: QueryConvertible {
    /// The date in ISO 8601 (RFC 3339): `2026-03-01T12:00:00Z`. A date outside the years 1 to 9999 is its number of
    /// seconds since 1970-01-01T00:00:00Z.
    public var queryValue: QueryValue {
        Iso8601Date.text(self).map(QueryValue.string) ?? .number(String(describing: timeIntervalSince1970))
    }
}

extension UUID: QueryConvertible {
    /// The text, in upper case.
    public var queryValue: QueryValue { .string(uuidString) }
}

extension URL: QueryConvertible {
    /// The text.
    public var queryValue: QueryValue { .string(absoluteString) }
}

extension QueryConvertible where Self: RawRepresentable, RawValue: QueryConvertible {
    /// The query value of the raw value.
    public var queryValue: QueryValue { rawValue.queryValue }
}

extension Array: QueryConvertible where Element: QueryConvertible {
    /// The elements, each with the same name.
    public var queryValue: QueryValue { .array(map(\.queryValue)) }
}

extension Set: QueryConvertible where Element: QueryConvertible {
    /// The elements, sorted by their text, so that equal requests have equal URLs.
    public var queryValue: QueryValue {
        .array(map(\.queryValue).sorted { String(describing: $0) < String(describing: $1) })
    }
}

extension Dictionary: QueryConvertible where Key == String, Value: QueryConvertible {
    /// The members; a ``URLQueryDictionaryKeyEncodingStrategy`` writes their names.
    public var queryValue: QueryValue { .dictionary(mapValues(\.queryValue)) }
}

extension Optional: QueryConvertible where Wrapped: QueryConvertible {
    /// The query value of the wrapped value; nil is left out.
    public var queryValue: QueryValue { self?.queryValue ?? .none }
}
