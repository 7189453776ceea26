/// One pass over the bytes: checks that they are JSON (RFC 8259) and writes the tape.
///
/// Arrays and objects that are open are linked through their own words on the tape, so there is neither recursion nor
/// a stack. The bytes must be followed by `JsonDocument.padding` zero bytes, none of which can be part of a value: the
/// scans below stop at them without asking for the end.
struct JsonParser {
    let bytes: UnsafePointer<UInt8>
    let count: Int
    let maximumDepth: Int
    private(set) var tape: UnsafeMutablePointer<UInt64>
    private(set) var tapeCount = 0
    private var capacity: Int

    init(bytes: UnsafePointer<UInt8>, count: Int, limits: JsonLimits) {
        self.bytes = bytes
        self.count = count
        maximumDepth = limits.effectiveDepth
        // More than most documents need: growing would hold two tapes at once, and of a large allocation the pages
        // that nothing is written to cost nothing.
        capacity = count / 4 + 16
        tape = .allocate(capacity: capacity)
    }

    func discardTape() {
        tape.deallocate()
    }

    mutating func parse() throws(JsonError) {
        var cursor = bytes
        if count >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF {
            throw failure(.byteOrderMark, at: cursor)
        }
        var open = -1  // The tape index of the innermost open container.
        var members = 0  // The values that it has so far.
        var inObject = false
        var depth = 0
        // The next free word and the end of the words, in registers.
        var tape = tape
        var next = 0
        var limit = capacity - 2
        value: while true {
            // A value starts here, in an object after its key. It takes one word, the key that may follow another one.
            if next >= limit {
                tapeCount = next
                grow()
                tape = self.tape
                limit = capacity - 2
            }
            if Self.isSpace(cursor.pointee) { cursor = Self.skipSpace(cursor) }
            let byte = cursor.pointee
            if byte == 0x22 {
                cursor += 1
                let start = cursor
                let kind = try string(&cursor)
                tape[next] = JsonWord(kind, high: cursor - start - 1, low: start - bytes).bits
                next += 1
            } else if byte == 0x7B || byte == 0x5B {
                depth += 1
                if depth > maximumDepth { throw failure(.tooDeep, at: cursor) }
                let isObject = byte == 0x7B
                cursor += 1
                if Self.isSpace(cursor.pointee) { cursor = Self.skipSpace(cursor) }
                // Either bracket is two above its opening one.
                if cursor.pointee == byte + 2 {
                    cursor += 1
                    depth -= 1
                    tape[next] = JsonWord(isObject ? JsonWord.object : JsonWord.array, high: 0, low: next + 1).bits
                    next += 1
                } else {
                    // While it is open, its word holds its parent and the parent's count of values.
                    tape[next] =
                        JsonWord(inObject ? JsonWord.object : JsonWord.array, high: members, low: open + 1).bits
                    open = next
                    next += 1
                    members = 0
                    inObject = isObject
                    if isObject {
                        tape[next] = try key(&cursor).bits
                        next += 1
                    }
                    continue value
                }
            } else {
                tape[next] = try scalar(byte, &cursor).bits
                next += 1
            }
            while open >= 0 {
                members += 1
                if Self.isSpace(cursor.pointee) { cursor = Self.skipSpace(cursor) }
                if cursor.pointee == 0x2C {
                    cursor += 1
                    if inObject {
                        if Self.isSpace(cursor.pointee) { cursor = Self.skipSpace(cursor) }
                        tape[next] = try key(&cursor).bits
                        next += 1
                    }
                    continue value
                }
                guard cursor.pointee == (inObject ? 0x7D : 0x5D) else { throw unexpected(at: cursor) }
                cursor += 1
                let word = JsonWord(bits: tape[open])
                tape[open] = JsonWord(inObject ? JsonWord.object : JsonWord.array, high: members, low: next).bits
                inObject = word.kind == JsonWord.object
                members = word.high
                open = word.low - 1
                depth -= 1
            }
            break
        }
        tapeCount = next
        cursor = Self.skipSpace(cursor)
        if cursor != bytes + count { throw failure(.trailingCharacters, at: cursor) }
    }

    // MARK: - Pieces

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
        larger.update(from: tape, count: tapeCount)
        tape.deallocate()
        tape = larger
        capacity *= 2
    }

    @inline(__always)
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09)
    }

    @inline(__always)
    private static func skipSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var cursor = start
        // Indentation comes in runs of spaces.
        while UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self) == 0x2020_2020_2020_2020 { cursor += 8 }
        while isSpace(cursor.pointee) { cursor += 1 }
        return cursor
    }

    /// A key and its colon. The cursor goes to after the colon.
    @inline(__always)
    private func key(_ cursor: inout UnsafePointer<UInt8>) throws(JsonError) -> JsonWord {
        guard cursor.pointee == 0x22 else { throw unexpected(at: cursor) }
        cursor += 1
        let start = cursor
        let kind = try string(&cursor)
        let word = JsonWord(kind, high: cursor - start - 1, low: start - bytes)
        if Self.isSpace(cursor.pointee) { cursor = Self.skipSpace(cursor) }
        guard cursor.pointee == 0x3A else { throw unexpected(at: cursor) }
        cursor += 1
        return word
    }

    /// A string's kind. The cursor goes from after the opening quote to after the closing one.
    @inline(__always)
    private func string(_ cursor: inout UnsafePointer<UInt8>) throws(JsonError) -> UInt64 {
        cursor = Self.skipPlain(cursor)
        guard cursor.pointee == 0x22 else { return try unusualString(&cursor) }
        cursor += 1
        return JsonWord.string
    }

    /// The first byte from here on that is a quote, an escape, a control character or not ASCII.
    @inline(__always)
    private static func skipPlain(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        var cursor = start
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let escape = word ^ (ones &* 0x5C)
            // Bits above the lowest marked byte may be wrong, so only that one is looked at.
            let marks =
                ((quote &- ones) & ~quote | (escape &- ones) & ~escape | (word &- ones &* 0x20) & ~word | word) & high
            if marks != 0 { return cursor + marks.trailingZeroBitCount >> 3 }
            cursor += 8
        }
    }

    /// The rest of a string from its first escape or byte that is not ASCII.
    @inline(never)
    private func unusualString(_ start: inout UnsafePointer<UInt8>) throws(JsonError) -> UInt64 {
        var kind = JsonWord.string
        var cursor = start
        while cursor.pointee != 0x22 {
            let byte = cursor.pointee
            if byte >= 0x80 {
                guard let next = JsonText.skipUtf8(cursor) else { throw failure(.invalidUtf8, at: cursor) }
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
        start = cursor + 1
        return kind
    }

    /// A number, `true`, `false` or `null`.
    @inline(__always)
    private func scalar(_ byte: UInt8, _ cursor: inout UnsafePointer<UInt8>) throws(JsonError) -> JsonWord {
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

    /// Points at the first byte that is not that of the literal which the first letter promises.
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
