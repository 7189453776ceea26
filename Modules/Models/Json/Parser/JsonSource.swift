/// Scans the keys, strings, numbers and literals of a JSON text. `JsonDocument.padding` zero bytes follow the text.
///
/// Two words and no mutable state, so that a call that isn't inlined needs no copies. In inlined calls the cursor stays
/// in a register.
struct JsonSource {
    let bytes: UnsafePointer<UInt8>
    let count: Int

    /// Skips white space before a key or a value. Most writers put no space or one space there.
    @inline(__always)
    func skipSeparator(_ cursor: inout UnsafePointer<UInt8>) {
        if cursor.pointee > 0x20 { return }
        if cursor.pointee == 0x20, cursor[1] > 0x20 {
            cursor += 1
        } else {
            cursor = Self.skipSpaces(cursor)
        }
    }

    /// Skips white space where most writers put none.
    @inline(__always)
    func skipSpace(_ cursor: inout UnsafePointer<UInt8>) {
        if cursor.pointee <= 0x20 { cursor = Self.skipSpaces(cursor) }
    }

    @inline(never)
    private static func skipSpaces(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var cursor = start
        while true {
            // Indentation comes in runs of spaces.
            while UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self) == 0x2020_2020_2020_2020 { cursor += 8 }
            let byte = cursor.pointee
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return cursor }
            cursor += 1
        }
    }

    /// Reads a key and its colon, and moves the cursor past the colon.
    @inline(__always)
    func key(_ cursor: inout UnsafePointer<UInt8>) throws(JsonError) -> JsonWord {
        guard cursor.pointee == 0x22 else { throw unexpected(at: cursor) }
        let word = try string(&cursor)
        skipSpace(&cursor)
        guard cursor.pointee == 0x3A else { throw unexpected(at: cursor) }
        cursor += 1
        return word
    }

    /// Reads a string, and moves the cursor from its opening quote past the closing one.
    @inline(__always)
    func string(_ cursor: inout UnsafePointer<UInt8>) throws(JsonError) -> JsonWord {
        let start = cursor + 1
        var end = Self.skipPlain(start)
        var kind = JsonWord.string
        if end.pointee != 0x22 { (end, kind) = try unusualString(end) }
        cursor = end + 1
        return JsonWord(kind, high: end - start, low: start - bytes)
    }

    /// The first byte from `start` on that is a quote, a backslash, a control character or not ASCII.
    @inline(__always)
    private static func skipPlain(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        var cursor = start
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let escape = word ^ (ones &* 0x5C)
            // Bits above the lowest marked byte may be wrong, so only the lowest is used.
            let marks =
                ((quote &- ones) & ~quote | (escape &- ones) & ~escape | (word &- ones &* 0x20) & ~word | word) & high
            if marks != 0 { return cursor + marks.trailingZeroBitCount >> 3 }
            cursor += 8
        }
    }

    /// Scans a string on from its first escape or non-ASCII byte. Returns its closing quote and its kind.
    @inline(never)
    private func unusualString(
        _ start: UnsafePointer<UInt8>
    ) throws(JsonError) -> (end: UnsafePointer<UInt8>, kind: UInt64) {
        var kind = JsonWord.string
        var cursor = start
        while cursor.pointee != 0x22 {
            let byte = cursor.pointee
            if byte >= 0x80 {
                guard let next = JsonText.skipUtf8(cursor) else {
                    let end = bytes + count
                    let isCut = JsonText.isCut(cursor, by: end)
                    throw failure(isCut ? .unexpectedEnd : .invalidUtf8, at: isCut ? end : cursor)
                }
                cursor = next
            } else if byte == 0x5C {
                kind = JsonWord.escaped
                cursor = try JsonText.checkEscape(cursor, self)
            } else {
                guard byte >= 0x20 else {
                    throw failure(cursor == bytes + count ? .unexpectedEnd : .controlCharacter, at: cursor)
                }
                cursor = Self.skipPlain(cursor + 1)
            }
        }
        return (cursor, kind)
    }

    /// Reads a number, `true`, `false` or `null`.
    @inline(__always)
    func scalar(_ byte: UInt8, _ cursor: inout UnsafePointer<UInt8>) throws(JsonError) -> JsonWord {
        if byte &- 0x30 < 10 || byte == 0x2D { return try number(byte, &cursor) }
        let four = UInt32(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt32.self))
        if four == 0x6C6C_756E {
            cursor += 4
            return JsonWord(bits: JsonWord.null)
        } else if four == 0x6575_7274 {
            cursor += 4
            return JsonWord(bits: JsonWord.true)
        } else if four == 0x736C_6166, cursor[4] == 0x65 {
            cursor += 5
            return JsonWord(bits: JsonWord.false)
        }
        throw badLiteral(at: cursor)
    }

    @inline(__always)
    private func number(_ byte: UInt8, _ place: inout UnsafePointer<UInt8>) throws(JsonError) -> JsonWord {
        let start = place
        var cursor = start
        var kind = JsonWord.integer
        if byte == 0x2D { cursor += 1 }
        let first = cursor
        while cursor.pointee &- 0x30 < 10 { cursor += 1 }
        guard cursor != first, first.pointee != 0x30 || cursor == first + 1 else {
            throw badNumber(at: cursor == first ? cursor : first + 1)
        }
        if cursor.pointee == 0x2E {
            kind = JsonWord.real
            cursor += 1
            guard cursor.pointee &- 0x30 < 10 else { throw badNumber(at: cursor) }
            while cursor.pointee &- 0x30 < 10 { cursor += 1 }
        }
        if cursor.pointee | 0x20 == 0x65 {
            kind = JsonWord.real
            cursor += 1
            if cursor.pointee == 0x2B || cursor.pointee == 0x2D { cursor += 1 }
            guard cursor.pointee &- 0x30 < 10 else { throw badNumber(at: cursor) }
            while cursor.pointee &- 0x30 < 10 { cursor += 1 }
        }
        place = cursor
        return JsonWord(kind, high: cursor - start, low: start - bytes)
    }

    // MARK: - Errors

    @inline(never)
    func failure(_ code: JsonError.Code, at place: UnsafePointer<UInt8>) -> JsonError {
        let offset = min(place - bytes, count)
        var line = 1
        var column = 1
        for index in 0..<offset {
            if bytes[index] == 0x0A {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return JsonError(code, offset: offset, line: line, column: column)
    }

    @inline(never)
    func unexpected(at place: UnsafePointer<UInt8>) -> JsonError {
        failure(place >= bytes + count ? .unexpectedEnd : .unexpectedCharacter, at: place)
    }

    @inline(never)
    private func badNumber(at place: UnsafePointer<UInt8>) -> JsonError {
        failure(place >= bytes + count ? .unexpectedEnd : .invalidNumber, at: place)
    }

    /// The error at the first byte that differs from the literal with the same first letter.
    @inline(never)
    private func badLiteral(at start: UnsafePointer<UInt8>) -> JsonError {
        for literal in ["null", "true", "false"] where literal.utf8.first == start.pointee {
            var place = start
            for byte in literal.utf8 {
                if place.pointee != byte { return unexpected(at: place) }
                place += 1
            }
        }
        return unexpected(at: start)
    }
}
