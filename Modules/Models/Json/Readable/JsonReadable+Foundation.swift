#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: JsonReadable {
    /// Reads a date, in the form of the decoder's strategy.
    public init(json: inout JsonInput) throws { self = try json.special(.date, at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Date {
        try json.special(.date, at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Date {
        try json.special(.date, at: place.node)
    }
}

extension Data: JsonReadable {
    /// Reads bytes, in the form of the decoder's strategy.
    public init(json: inout JsonInput) throws { self = try json.special(.data, at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Data {
        try json.special(.data, at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Data {
        try json.special(.data, at: place.node)
    }
}

extension URL: JsonReadable {
    /// Reads a URL.
    public init(json: inout JsonInput) throws { self = try json.special(.url, at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> URL {
        try json.special(.url, at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> URL {
        try json.special(.url, at: place.node)
    }
}

extension UUID: JsonReadable {
    /// Reads a UUID.
    public init(json: inout JsonInput) throws { self = try json.special(.uuid, at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> UUID {
        try json.special(.uuid, at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> UUID {
        try json.special(.uuid, at: place.node)
    }
}

extension Decimal: JsonReadable {
    /// Reads a decimal number of up to 38 digits.
    public init(json: inout JsonInput) throws { self = try json.special(.decimal, at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Decimal {
        try json.special(.decimal, at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Decimal {
        try json.special(.decimal, at: place.node)
    }
}

extension Json: JsonReadable {
    /// Reads any value: a view of the document, which it keeps in memory.
    public init(json: inout JsonInput) throws { self = try json.special(.json, at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Json {
        try json.special(.json, at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Json {
        try json.special(.json, at: place.node)
    }
}
