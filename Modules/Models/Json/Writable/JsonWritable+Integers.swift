extension Int: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }

    /// Not for applications.
    public static func _write(_ elements: [Int], to json: inout JsonOutput) {
        json.scalars(elements) { $0.value($1, depth: $0.depth + 1) }
    }
}

extension Int8: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension Int16: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension Int32: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension Int64: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension Int128: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension UInt: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension UInt8: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension UInt16: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension UInt32: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension UInt64: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension UInt128: JsonWritable {
    /// Writes a number.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}
