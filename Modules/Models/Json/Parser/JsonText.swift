/// Reads the text of JSON strings: escape sequences and UTF-8.
enum JsonText {
    /// Checks the escape sequence at `start` and returns the position after it; for a surrogate pair, after both
    /// escapes.
    @inline(never)
    static func checkEscape(
        _ start: UnsafePointer<UInt8>, _ source: JsonSource
    ) throws(JsonError) -> UnsafePointer<UInt8> {
        let end = source.bytes + source.count
        switch start[1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            return start + 2
        case 0x75:
            guard let unit = hex(start + 2) else { throw badHex(start + 2, source) }
            if unit & 0xF800 != 0xD800 { return start + 6 }
            guard unit < 0xDC00, start[6] == 0x5C, start[7] == 0x75 else {
                let isCut = start + 6 >= end || start[6] == 0x5C && start + 7 >= end
                throw source.failure(isCut ? .unexpectedEnd : .loneSurrogate, at: start)
            }
            guard let low = hex(start + 8) else { throw badHex(start + 8, source) }
            guard low & 0xFC00 == 0xDC00 else { throw source.failure(.loneSurrogate, at: start) }
            return start + 12
        default:
            throw source.failure(start + 1 >= end ? .unexpectedEnd : .invalidEscape, at: start)
        }
    }

    private static func badHex(_ digits: UnsafePointer<UInt8>, _ source: JsonSource) -> JsonError {
        var place = digits
        while nibble(place.pointee) != nil { place += 1 }
        return source.failure(place >= source.bytes + source.count ? .unexpectedEnd : .invalidEscape, at: place)
    }

    /// The position after the character of two to four bytes at `start`; nil if it is not UTF-8 (RFC 3629).
    @inline(__always)
    static func skipUtf8(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        let first = start[0]
        let second = start[1]
        if first < 0xE0 {
            return first >= 0xC2 && second & 0xC0 == 0x80 ? start + 2 : nil
        }
        guard second & 0xC0 == 0x80, start[2] & 0xC0 == 0x80 else { return nil }
        if first < 0xF0 {
            // No overlong forms, no surrogates.
            if first == 0xE0 && second < 0xA0 || first == 0xED && second > 0x9F { return nil }
            return start + 3
        }
        guard start[3] & 0xC0 == 0x80, first < 0xF5 else { return nil }
        if first == 0xF0 && second < 0x90 || first == 0xF4 && second > 0x8F { return nil }
        return start + 4
    }

    /// Whether the end of the document cuts the character of several bytes at `start`.
    static func isCut(_ start: UnsafePointer<UInt8>, by end: UnsafePointer<UInt8>) -> Bool {
        let length =
            switch start.pointee {
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 1
            }
        return end - start < length && (1..<end - start).allSatisfy { start[$0] & 0xC0 == 0x80 }
    }

    @inline(__always)
    private static func nibble(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30
        case 0x41...0x46: UInt32(byte) - 0x37
        case 0x61...0x66: UInt32(byte) - 0x57
        default: nil
        }
    }

    /// The value of four hexadecimal digits; nil if one of them is none.
    private static func hex(_ digits: UnsafePointer<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<4 {
            guard let digit = nibble(digits[index]) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    /// The text of a string's word, which the parser has validated.
    @inline(__always)
    static func string(_ word: JsonWord, in bytes: UnsafePointer<UInt8>) -> String {
        guard word.kind == JsonWord.string else { return unescaped(word, in: bytes) }
        return word.high < 16 ? short(bytes + word.low, word.high) : trusted(bytes + word.low, word.high)
    }

    /// A string of at most 15 bytes, which `String` stores in place: two copies of eight bytes save 5 % of the
    /// instructions of decoding users. `JsonDocument.padding` lets 16 bytes be read.
    @inline(__always)
    private static func short(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
        let source = UnsafeRawPointer(start)
        return String(unsafeUninitializedCapacity: 15) { output in
            guard let output = UnsafeMutableRawPointer(output.baseAddress) else { return 0 }
            output.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            output.storeBytes(
                of: source.loadUnaligned(fromByteOffset: 7, as: UInt64.self), toByteOffset: 7, as: UInt64.self)
            return count
        }
    }

    /// The text of a string that a writer has written, without its quotes. Unlike a document, a writer's buffer has no
    /// padding, so nothing past the text is read.
    static func string(written text: UnsafeBufferPointer<UInt8>) -> String {
        guard let start = text.baseAddress, text.contains(0x5C) else { return String(decoding: text, as: UTF8.self) }
        return unescaped(JsonWord(JsonWord.escaped, high: text.count, low: 0), in: start)
    }

    /// The characters of a string's or a number's word as they are in the document.
    @inline(__always)
    static func verbatim(_ word: JsonWord, in bytes: UnsafePointer<UInt8>) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes + word.low, count: word.high), as: UTF8.self)
    }

    /// A string of bytes that the parser has validated. `String` would validate text beyond ASCII again, byte by byte:
    /// a fifth of the instructions of decoding long texts.
    @inline(never)
    private static func trusted(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
        let text = UnsafeBufferPointer(start: start, count: count)
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            let isAscii = text.reduce(0, |) < 0x80
            return String(copying: UTF8Span(unchecked: text.span, isKnownASCII: isAscii))
        }
        #endif
        return String(decoding: text, as: UTF8.self)
    }

    @inline(never)
    private static func unescaped(_ word: JsonWord, in bytes: UnsafePointer<UInt8>) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: word.high) { output in
            guard let start = output.baseAddress else { return "" }
            return trusted(start, unescape(word, in: bytes, to: start))
        }
    }

    /// Writes the string's text in UTF-8, which is never longer than its escaped form, and returns its length.
    static func unescape(
        _ word: JsonWord, in bytes: UnsafePointer<UInt8>, to start: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var output = start
        var cursor = bytes + word.low
        let end = cursor + word.high
        while cursor < end {
            let byte = cursor.pointee
            if byte != 0x5C {
                // Copies eight bytes at a time while they contain no escape. Both buffers have space for them: the text
                // is at most as long as its escaped form.
                if cursor + 8 <= end {
                    let word = UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self)
                    let escape = word ^ 0x5C5C_5C5C_5C5C_5C5C
                    if (escape &- 0x0101_0101_0101_0101) & ~escape & 0x8080_8080_8080_8080 == 0 {
                        UnsafeMutableRawPointer(output).storeBytes(of: word, as: UInt64.self)
                        output += 8
                        cursor += 8
                        continue
                    }
                }
                output.pointee = byte
                output += 1
                cursor += 1
                continue
            }
            output = unescapeOne(&cursor, to: output)
        }
        return output - start
    }

    /// Writes the character of the escape sequence at the cursor, in one to four bytes, and returns the place past it.
    /// Moves the cursor past the sequence; for a surrogate pair, past both.
    @inline(__always)
    static func unescapeOne(
        _ cursor: inout UnsafePointer<UInt8>, to output: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let letter = cursor[1]
        cursor += 2
        if letter == 0x75 {
            var scalar = hex(cursor) ?? 0xFFFD
            cursor += 4
            if scalar & 0xFC00 == 0xD800 {
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (hex(cursor + 2) ?? 0) & 0x3FF
                cursor += 6
            }
            return write(scalar, to: output)
        }
        output.pointee =
            switch letter {
            case 0x62: 0x08
            case 0x66: 0x0C
            case 0x6E: 0x0A
            case 0x72: 0x0D
            case 0x74: 0x09
            default: letter
            }
        return output + 1
    }

    private static func write(
        _ scalar: UInt32, to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F) }
        if scalar < 0x80 {
            start[0] = UInt8(truncatingIfNeeded: scalar)
            return start + 1
        } else if scalar < 0x800 {
            start[0] = UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6)
            start[1] = tail(0)
            return start + 2
        } else if scalar < 0x10000 {
            start[0] = UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12)
            start[1] = tail(6)
            start[2] = tail(0)
            return start + 3
        }
        start[0] = UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18)
        start[1] = tail(12)
        start[2] = tail(6)
        start[3] = tail(0)
        return start + 4
    }
}
