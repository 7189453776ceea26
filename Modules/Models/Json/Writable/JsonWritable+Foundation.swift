#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: JsonWritable {
    /// Writes a date, in the form of the encoder's strategy.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension Data: JsonWritable {
    /// Writes bytes, in the form of the encoder's strategy.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension URL: JsonWritable {
    /// Writes a URL as a string.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension UUID: JsonWritable {
    /// Writes a UUID as a string.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}

extension Decimal: JsonWritable {
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

extension Json: JsonWritable {
    /// Writes any value.
    public func members(to json: inout JsonOutput) { json.single { $0.value(self, depth: $0.depth) } }

    /// Not for applications.
    public func _write(to json: inout JsonOutput) { json.value(self, depth: json.depth + 1) }

    /// Not for applications.
    public func _write(_ key: UnsafeBufferPointer<UInt8>, to json: inout JsonOutput) {
        json.member(key)
        json.value(self, depth: json.depth + 1)
    }
}
