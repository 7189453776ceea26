extension String: JsonReadable {
    /// Reads a string.
    public init(json: inout JsonInput) throws { self = try json.string(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> String {
        try json.string(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> String {
        try json.string(at: place.node)
    }

    /// Not for applications.
    public static func _array(of json: inout JsonInput) throws -> [String] {
        try json.elements { try $0.string(at: $1) }
    }
}

extension Bool: JsonReadable {
    /// Reads `true` or `false`.
    public init(json: inout JsonInput) throws { self = try json.bool(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Bool {
        try json.bool(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Bool {
        try json.bool(at: place.node)
    }
}

extension Double: JsonReadable {
    /// Reads a number; for infinities and NaN, the strings of the decoder's strategy.
    public init(json: inout JsonInput) throws { self = try json.double(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Double {
        try json.double(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Double {
        try json.double(at: place.node)
    }

    /// Not for applications.
    public static func _array(of json: inout JsonInput) throws -> [Double] {
        try json.elements { try $0.double(at: $1) }
    }
}

extension Float: JsonReadable {
    /// Reads a number; for infinities and NaN, the strings of the decoder's strategy.
    public init(json: inout JsonInput) throws { self = try json.float(at: json.node) }

    /// Not for applications.
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Float {
        try json.float(at: json.find(key))
    }

    /// Not for applications.
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Float {
        try json.float(at: place.node)
    }
}
