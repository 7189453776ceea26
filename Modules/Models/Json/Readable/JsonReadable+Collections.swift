extension Optional: JsonReadable where Wrapped: JsonReadable {
    /// Reads a value, nil for `null`. As a member, nil if there is none.
    @inlinable
    public init(json: inout JsonInput) throws {
        self = json.isNull(at: json.ownPlace) ? nil : try Wrapped(json: &json)
    }

    /// Not for applications.
    @inlinable
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Wrapped? {
        let place = try json.present(key)
        return place.node < 0 ? nil : try Wrapped._value(at: place, of: &json)
    }

    /// Not for applications.
    @inlinable
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Wrapped? {
        json.isNull(at: place) ? nil : try Wrapped._value(at: place, of: &json)
    }
}

extension Array: JsonReadable where Element: JsonReadable {
    /// Reads an array.
    @inlinable
    public init(json: inout JsonInput) throws { self = try Element._array(of: &json) }
}

extension Set: JsonReadable where Element: JsonReadable {
    /// Reads an array. Equal elements are one.
    @inlinable
    public init(json: inout JsonInput) throws { self.init(try Element._array(of: &json)) }
}
