/// A type that writes itself as JSON, about three times as fast as an `Encodable` one.
///
/// ```swift
/// extension Account: JsonWritable {
///     func members(to json: inout JsonOutput) {
///         json["id"] = id
///         json["name"] = name
///         json["tags"] = tags
///     }
/// }
/// ```
///
/// - A type that is `Encodable` too is written this way by ``JsonEncoder``, and so by every request. It may be the whole
///   value, in an array, a dictionary or an optional, or a member of an `Encodable` type. Other encoders use its
///   `encode(to:)`. Requests require `Encodable`: a type that is writable only is written by ``JsonEncoder`` alone.
/// - The text and the errors are those of the synthesized `Encodable` conformance. But the keys in an error are not of
///   the type's `CodingKeys`, and the encoder's key strategy isn't applied.
/// - A class is `final`, or each subclass with members of its own overrides the method. A subclass that overrides
///   `encode(to:)` alone is written without its members.
/// - An enum whose raw values are writable needs the name of the protocol only. The library's writable types are those
///   that are ``JsonReadable``.
public protocol JsonWritable {
    /// Writes the members of the object in which the value is represented. A type that writes nothing is `{}`.
    ///
    /// A type that is no object writes a single value by its own method: `raw.members(to: &json)`.
    func members(to json: inout JsonOutput)

    /// Not for applications. Writes the value after a key or a comma.
    func _write(to json: inout JsonOutput)

    /// Not for applications. Writes the value as a member; nothing for nil.
    func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput)

    /// Not for applications. Writes the value as a member; `null` for nil.
    func _writeAlways(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput)

    /// Not for applications. Writes an array of values. A requirement, so that each type has a specialized one.
    static func _write(_ elements: [Self], to json: inout JsonOutput)
}

extension JsonWritable {
    /// Not for applications.
    @inlinable
    public func _write(to json: inout JsonOutput) {
        var child = json.child()
        members(to: &child)
        if child.isMisused { child.reportMisuse(by: self) }
        child.end(within: json)
    }

    /// Not for applications.
    @inlinable
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.begin(key)
        _write(to: &json)
    }

    /// Not for applications.
    @inlinable
    public func _writeAlways(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        _write(key, to: &json)
    }

    /// Not for applications.
    @inlinable
    public static func _write(_ elements: [Self], to json: inout JsonOutput) {
        json.write(elements)
    }
}

extension JsonWritable where Self: RawRepresentable, RawValue: JsonWritable {
    /// Writes the raw value.
    @inlinable
    public func members(to json: inout JsonOutput) { rawValue.members(to: &json) }
}
