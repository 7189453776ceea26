extension String: JsonWritable {
    /// Writes a string.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }

    /// Not for applications.
    public static func _write(_ elements: [String], to json: inout JsonOutput) {
        json.scalars(elements) { $0.value($1, depth: $0.depth + 1) }
    }
}

extension Bool: JsonWritable {
    /// Writes `true` or `false`.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension Double: JsonWritable {
    /// Writes a number; for infinities and NaN, the strings of the encoder's strategy.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }

    /// Not for applications.
    public static func _write(_ elements: [Double], to json: inout JsonOutput) {
        json.scalars(elements) { $0.value($1, depth: $0.depth + 1) }
    }
}

extension Float: JsonWritable {
    /// Writes a number; for infinities and NaN, the strings of the encoder's strategy.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}
