/// One pass over the bytes: checks that they are JSON (RFC 8259) and writes the tape.
///
/// Arrays and objects that are open are linked through their own words on the tape, so there is neither recursion nor
/// a stack. The bytes must be followed by `JsonDocument.padding` zero bytes.
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
        capacity = count / 8 + 16
        tape = .allocate(capacity: capacity)
    }

    func discardTape() {
        tape.deallocate()
    }

    mutating func parse() throws(JsonError) {
        var cursor = bytes
        if count >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF { throw failure(.byteOrderMark, at: cursor) }
        var open = -1  // The tape index of the innermost open container.
        var members = 0  // The values that it has so far.
        var inObject = false
        var depth = 0
        while true {
            // A value starts here, in an object after its key.
            cursor = Self.skipSpace(cursor)
            reserveWord()
            let byte = cursor.pointee
            if byte == 0x22 {
                cursor = try string(from: cursor + 1)
            } else if byte == 0x7B || byte == 0x5B {
                depth += 1
                if depth > maximumDepth { throw failure(.tooDeep, at: cursor) }
                // While it is open, its word holds its parent and the parent's count of values.
                tape[tapeCount] = JsonWord(inObject ? JsonWord.object : JsonWord.array, high: members, low: open + 1).bits
                open = tapeCount
                members = 0
                inObject = byte == 0x7B
                tapeCount += 1
                cursor = Self.skipSpace(cursor + 1)
                if cursor.pointee != (inObject ? 0x7D : 0x5D) {
                    if inObject { cursor = try key(from: cursor) }
                    continue
                }
            } else {
                cursor = try scalar(byte, from: cursor)
            }
            // Here a value has ended, or (the cursor on its bracket) an empty container is about to.
            if open < 0 { break }
            var closing = members == 0 && open == tapeCount - 1
            while true {
                if !closing {
                    members += 1
                    if Self.isSpace(cursor.pointee) { cursor = Self.skipSpace(cursor) }
                    if cursor.pointee == 0x2C { break }
                    guard cursor.pointee == (inObject ? 0x7D : 0x5D) else { throw unexpected(at: cursor) }
                }
                closing = false
                cursor += 1
                let word = JsonWord(bits: tape[open])
                tape[open] = JsonWord(inObject ? JsonWord.object : JsonWord.array, high: members, low: tapeCount).bits
                inObject = word.kind == JsonWord.object
                members = word.high
                open = word.low - 1
                depth -= 1
                if open < 0 { break }
            }
            if open < 0 { break }
            cursor += 1
            if inObject { cursor = try key(from: Self.skipSpace(cursor)) }
        }
        cursor = Self.skipSpace(cursor)
        if cursor != bytes + count { throw failure(.trailingCharacters, at: cursor) }
    }

    // MARK: - Pieces

    @inline(__always)
    private mutating func reserveWord() {
        if tapeCount + 2 > capacity { grow() }
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
        larger.update(from: tape, count: tapeCount)
        tape.deallocate()
        tape = larger
        capacity *= 2
    }

    @inline(__always)
    private mutating func append(_ word: JsonWord) {
        tape[tapeCount] = word.bits
        tapeCount += 1
    }

    @inline(__always)
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    @inline(__always)
    private static func skipSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var cursor = start
        while isSpace(cursor.pointee) { cursor += 1 }
        return cursor
    }

    /// A key and its colon.
    @inline(__always)
    private mutating func key(from start: UnsafePointer<UInt8>) throws(JsonError) -> UnsafePointer<UInt8> {
        guard start.pointee == 0x22 else { throw unexpected(at: start) }
        reserveWord()
        var cursor = try string(from: start + 1)
        cursor = Self.skipSpace(cursor)
        guard cursor.pointee == 0x3A else { throw unexpected(at: cursor) }
        return cursor + 1
    }

    /// A string from after its opening quote to after its closing one.
    @inline(__always)
    private mutating func string(from start: UnsafePointer<UInt8>) throws(JsonError) -> UnsafePointer<UInt8> {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        var kind = JsonWord.string
        var cursor = start
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let escape = word ^ (ones &* 0x5C)
            // The lowest marked byte is a quote, an escape, a control character or not ASCII.
            let marks = ((quote &- ones) & ~quote | (escape &- ones) & ~escape | (word &- ones &* 0x20) & ~word | word) & high
            if marks == 0 {
                cursor += 8
                continue
            }
            cursor += marks.trailingZeroBitCount >> 3
            if cursor.pointee == 0x22 { break }
            if cursor.pointee == 0x5C {
                kind = JsonWord.escaped
                cursor = try JsonText.checkEscape(cursor, self)
            } else {
                guard cursor.pointee >= 0x80 else {
                    throw failure(cursor == bytes + count ? .unexpectedEnd : .controlCharacter, at: cursor)
                }
                guard let next = JsonText.skipUtf8(cursor) else { throw failure(.invalidUtf8, at: cursor) }
                cursor = next
            }
        }
        append(JsonWord(kind, high: cursor - start, low: start - bytes))
        return cursor + 1
    }

    /// A number, `true`, `false` or `null`.
    @inline(__always)
    private mutating func scalar(
        _ byte: UInt8, from start: UnsafePointer<UInt8>
    ) throws(JsonError) -> UnsafePointer<UInt8> {
        if byte == 0x2D || byte &- 0x30 < 10 { return try number(byte, from: start) }
        let four = UInt32(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt32.self))
        if four == 0x6C6C_756E {
            append(JsonWord(bits: JsonWord.null))
            return start + 4
        } else if four == 0x6575_7274 {
            append(JsonWord(bits: JsonWord.true))
            return start + 4
        } else if four == 0x736C_6166, start[4] == 0x65 {
            append(JsonWord(bits: JsonWord.false))
            return start + 5
        }
        throw badLiteral(at: start)
    }

    @inline(__always)
    private mutating func number(
        _ byte: UInt8, from start: UnsafePointer<UInt8>
    ) throws(JsonError) -> UnsafePointer<UInt8> {
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
        append(JsonWord(kind, high: cursor - start, low: start - bytes))
        return cursor
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
