/// Validates JSON (RFC 8259) and writes the tape, in one pass over the bytes.
///
/// Open arrays and objects are linked through their own words on the tape, so there is neither recursion nor a stack.
/// `JsonDocument.padding` zero bytes must follow the text. They can't be part of a value, so the scans of `JsonSource`
/// stop at them without a bounds check.
struct JsonParser {
    private let source: JsonSource
    private let maximumDepth: Int
    private(set) var tape: UnsafeMutablePointer<UInt64>
    private(set) var tapeCount = 0
    private var capacity: Int

    init(bytes: UnsafePointer<UInt8>, count: Int, limits: JsonLimits) {
        source = JsonSource(bytes: bytes, count: count)
        maximumDepth = limits.effectiveDepth
        // More than most documents need. Growing would hold two tapes at once, and untouched pages of a large
        // allocation cost no memory.
        capacity = count / 4 + 16
        tape = .allocate(capacity: capacity)
    }

    func discardTape() {
        tape.deallocate()
    }

    mutating func parse() throws(JsonError) {
        // Local copies stay in registers. A function that received `self` would have it copied for each value.
        let source = source
        let maximumDepth = maximumDepth
        var cursor = source.bytes
        if source.count >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF {
            throw source.failure(.byteOrderMark, at: cursor)
        }
        var open = -1  // The tape index of the innermost open container.
        var members = 0  // The values that it has so far.
        var inObject = false
        var depth = 0
        // The next free word, and the limit at which the tape grows.
        var tape = tape
        var next = 0
        var limit = capacity - 2
        value: while true {
            // A value starts here; in an object, after its key. It takes one word, and the key that may follow takes
            // another.
            if next >= limit {
                tapeCount = next
                grow()
                tape = self.tape
                limit = capacity - 2
            }
            source.skipSeparator(&cursor)
            let byte = cursor.pointee
            if byte == 0x22 {
                tape[next] = try source.string(&cursor).bits
                next &+= 1
            } else if byte == 0x7B || byte == 0x5B {
                depth &+= 1
                if depth > maximumDepth { throw source.failure(.tooDeep, at: cursor) }
                let isObject = byte == 0x7B
                cursor += 1
                source.skipSpace(&cursor)
                // In ASCII, a closing bracket is its opening bracket plus 2.
                if cursor.pointee == byte + 2 {
                    cursor += 1
                    depth &-= 1
                    tape[next] = JsonWord(isObject ? JsonWord.object : JsonWord.array, high: 0, low: next &+ 1).bits
                    next &+= 1
                } else {
                    // While a container is open, its word holds its parent and the parent's count of values.
                    tape[next] =
                        JsonWord(inObject ? JsonWord.object : JsonWord.array, high: members, low: open &+ 1).bits
                    open = next
                    next &+= 1
                    members = 0
                    inObject = isObject
                    if isObject {
                        tape[next] = try source.key(&cursor).bits
                        next &+= 1
                    }
                    continue value
                }
            } else {
                tape[next] = try source.scalar(byte, &cursor).bits
                next &+= 1
            }
            while open >= 0 {
                members &+= 1
                source.skipSpace(&cursor)
                if cursor.pointee == 0x2C {
                    cursor += 1
                    if inObject {
                        source.skipSeparator(&cursor)
                        tape[next] = try source.key(&cursor).bits
                        next &+= 1
                    }
                    continue value
                }
                guard cursor.pointee == (inObject ? 0x7D : 0x5D) else { throw source.unexpected(at: cursor) }
                cursor += 1
                let word = JsonWord(bits: tape[open])
                tape[open] = JsonWord(inObject ? JsonWord.object : JsonWord.array, high: members, low: next).bits
                inObject = word.kind == JsonWord.object
                members = word.high
                open = word.low &- 1
                depth &-= 1
            }
            break
        }
        tapeCount = next
        source.skipSpace(&cursor)
        if cursor != source.bytes + source.count { throw source.failure(.trailingCharacters, at: cursor) }
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
        larger.update(from: tape, count: tapeCount)
        tape.deallocate()
        tape = larger
        capacity *= 2
    }
}
