extension JsonWriter {
    /// Writes a comma unless the member is the first, the key in quotes, and a colon, in compact form. Returns a hash
    /// of the key's length and first bytes.
    @inline(__always)
    func write(compactKey key: UnsafeBufferPointer<UInt8>, isFirst: Bool) -> UInt64 {
        let length = key.count
        // Space for the comma, the quotes, the colon, and for the loop to store whole words.
        reserve(length + 12)
        var output = bytes + count
        if !isFirst {
            output.pointee = 0x2C
            output += 1
        }
        output.pointee = 0x22
        output += 1
        guard length > 0, let start = key.baseAddress else { return rest(of: key, isFirst) }
        let source = UnsafeRawPointer(start)
        let last = Self.lastWord(source, length)
        if needsEscape(last.bits | last.padding) { return rest(of: key, isFirst) }
        UnsafeMutableRawPointer(output + last.place).storeBytes(of: last.bits, as: UInt64.self)
        var first = last.bits
        if length > 8 {
            first = source.loadUnaligned(as: UInt64.self)
            var offset = 0
            while offset + 8 < length {
                let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if needsEscape(word) { return rest(of: key, isFirst) }
                UnsafeMutableRawPointer(output + offset).storeBytes(of: word, as: UInt64.self)
                offset += 8
            }
        }
        output[length] = 0x22
        output[length + 1] = 0x3A
        count += length + (isFirst ? 3 : 4)
        return JsonKeyFilter.hash(first, UInt64(truncatingIfNeeded: length))
    }

    /// The same, for a key that is empty or has to be escaped.
    @inline(never)
    private func rest(of key: UnsafeBufferPointer<UInt8>, _ isFirst: Bool) -> UInt64 {
        if !isFirst { write(0x2C) }
        return write(key: key, colon: ":")
    }

    /// Writes a key and a colon. Returns the hash of the key.
    @inline(never)
    func write(key: UnsafeBufferPointer<UInt8>, colon: StaticString) -> UInt64 {
        write(quoting: key)
        write(raw: colon)
        guard let start = key.baseAddress, !key.isEmpty else { return JsonKeyFilter.hash(0, 0) }
        let source = UnsafeRawPointer(start)
        let first = key.count < 8 ? Self.lastWord(source, key.count).bits : source.loadUnaligned(as: UInt64.self)
        return JsonKeyFilter.hash(first, UInt64(truncatingIfNeeded: key.count))
    }
}
