#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JsonValueEncoder {
    /// Writes this encoder's own value.
    ///
    /// - Throws: the first error of what the value writes.
    func write(_ value: some JsonWritable) throws {
        guard openSingle() else { return }
        var context = JsonOutputContext(self)
        defer { context.free() }
        let error = withUnsafeMutablePointer(to: &context) { context in
            var output = JsonOutput(context, depth: depth - 1)
            value._write(to: &output)
            return context.pointee.error
        }
        if let error { throw error }
    }

    /// Encodes a value with this encoder's own writer, whose earlier text is removed.
    func encodeApart(_ value: some Encodable, depth: Int) throws {
        writer.truncate(to: 0)
        begin(atDepth: depth)
        try encodeWhole(value)
        end()
        try writer.throwMisuse(by: value)
    }
}

extension JsonEncoder {
    /// Encodes a value that writes itself as JSON text in UTF-8.
    ///
    /// - Throws: `EncodingError`. Errors of the strategies' functions are rethrown unchanged.
    @_disfavoredOverload
    public func encode(_ value: some JsonWritable) throws -> Data {
        let root = JsonValueEncoder(apart: settings, capacity: 512)
        defer { root.retire() }
        try root.write(value)
        try root.writer.throwMisuse(by: value)
        return root.writer.data
    }
}

extension Json {
    /// Encodes a value that writes itself, and keeps the encoded bytes.
    ///
    /// - Throws: what the encoder throws; also `EncodingError` for a text of 1 GiB or more, which can't be parsed.
    @_disfavoredOverload
    public init(encoding value: some JsonWritable, encoder: JsonEncoder = .default) throws {
        try self.init(text: encoder.encode(value), of: value)
    }
}
