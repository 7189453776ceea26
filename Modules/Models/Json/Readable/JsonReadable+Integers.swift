extension Int: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Int {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Int {
        try json.integer(at: place.node)
    }

    /// Not for applications.
    public static func _array(of json: inout JsonInput) throws -> [Int] {
        try json.elements { try $0.integer(at: $1) }
    }
}

extension Int8: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Int8 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Int8 {
        try json.integer(at: place.node)
    }
}

extension Int16: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Int16 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Int16 {
        try json.integer(at: place.node)
    }
}

extension Int32: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Int32 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Int32 {
        try json.integer(at: place.node)
    }
}

extension Int64: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Int64 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Int64 {
        try json.integer(at: place.node)
    }
}

extension Int128: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Int128 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Int128 {
        try json.integer(at: place.node)
    }
}

extension UInt: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> UInt {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> UInt {
        try json.integer(at: place.node)
    }
}

extension UInt8: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> UInt8 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> UInt8 {
        try json.integer(at: place.node)
    }
}

extension UInt16: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> UInt16 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> UInt16 {
        try json.integer(at: place.node)
    }
}

extension UInt32: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> UInt32 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> UInt32 {
        try json.integer(at: place.node)
    }
}

extension UInt64: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> UInt64 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> UInt64 {
        try json.integer(at: place.node)
    }
}

extension UInt128: JsonReadable {
    /// Reads a number with an integral value that the type can hold: `1`, `1.0` or `1e0`.
    public init(json: inout JsonInput) throws { self = try json.integer(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> UInt128 {
        try json.integer(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> UInt128 {
        try json.integer(at: place.node)
    }
}
