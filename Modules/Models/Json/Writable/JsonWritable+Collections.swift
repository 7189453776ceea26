extension Optional: JsonWritable where Wrapped: JsonWritable {
    /// Writes the value, `null` for nil. A member that is nil is left out; one that is `.some(nil)` is `null`.
    @inlinable
    public func members(to json: inout JsonOutput) {
        if let self { self.members(to: &json) } else if json.open(.single) { json.null() }
    }

    /// Not for applications.
    @inlinable
    public func _write(to json: inout JsonOutput) {
        if let self { self._write(to: &json) } else { json.null() }
    }

    /// Not for applications.
    @inlinable
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        if let self { self._writeAlways(key, to: &json) }
    }

    /// Not for applications.
    @inlinable
    public func _writeAlways(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        if let self { return self._writeAlways(key, to: &json) }
        json.begin(key)
        json.null()
    }
}

extension Array: JsonWritable where Element: JsonWritable {
    /// Writes an array.
    @inlinable
    public func members(to json: inout JsonOutput) { Element._write(self, to: &json) }
}

extension Set: JsonWritable where Element: JsonWritable {
    /// Writes an array.
    @inlinable
    public func members(to json: inout JsonOutput) { Element._write(Array(self), to: &json) }
}

extension Dictionary: JsonWritable where Key: JsonWritable, Value: JsonWritable {
    /// Writes a dictionary in the form of its `Encodable` conformance: an object if the keys are `String`, `Int` or
    /// `CodingKeyRepresentable`, otherwise an array of keys and values.
    @inlinable
    public func members(to json: inout JsonOutput) { write(to: &json, isWhole: false) }

    /// Not for applications.
    @inlinable
    public func _write(to json: inout JsonOutput) {
        var child = json.child()
        write(to: &child, isWhole: true)
        child.end(within: json)
    }

    /// Writes the dictionary. If it is all that is written to the object, no two members have the same key.
    @inlinable
    func write(to json: inout JsonOutput, isWhole: Bool) {
        if Key.self == String.self || Key.self == Int.self || Self.hasKeysOfMembers {
            for (key, value) in self {
                json.begin(member: key, isWhole: isWhole)
                value._write(to: &json)
            }
        } else {
            guard json.open(.array) else { return }
            for (key, value) in self {
                json.beginElement()
                key._write(to: &json)
                json.beginElement()
                value._write(to: &json)
            }
        }
    }

    @usableFromInline
    static var hasKeysOfMembers: Bool { Key.self is any CodingKeyRepresentable.Type }
}

extension JsonOutput {
    /// Writes what precedes the value of a dictionary's member.
    @inlinable
    mutating func begin<Key>(member key: Key, isWhole: Bool) {
        if let key = key as? String {
            begin(key, isUnique: isWhole)
        } else if let key = key as? Int {
            begin(key.description, number: key, isUnique: isWhole)
        } else if let key = (key as? any CodingKeyRepresentable)?.codingKey {
            begin(key.stringValue, number: key.intValue, isUnique: false)
        }
    }

    /// - Parameter number: the key as a number, for coding paths.
    @usableFromInline
    mutating func begin(_ key: String, number: Int? = nil, isUnique: Bool) {
        var key = key
        let start = key.withUTF8 { member($0, isUnique: isUnique) }
        if let number { context.pointee.addNumber(number, start, depth: depth) }
    }
}
