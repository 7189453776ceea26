/// The bytes of a valid JSON text and the tape that tells where its values are.
///
/// `padding` zero bytes follow the bytes, so that the parser may read past the end. Both, bytes and tape, are in memory of
/// the document's own, or of the one from which it was made.
final class JsonDocument: @unchecked Sendable {  // let only, and memory that nobody writes after `init`
    static let padding = 16

    let bytes: UnsafePointer<UInt8>
    let count: Int
    let tape: UnsafePointer<UInt64>
    let tapeCount: Int
    /// Where the text came from, in words, for errors; asked when one happens.
    let origin: (@Sendable () -> String)?
    /// What travels beside another document's text; nil for a document that has its text itself.
    let attachment: Attachment?

    final class Attachment: Sendable {
        /// Whose text it is.
        let owner: JsonDocument
        let payload: any Sendable

        init(owner: JsonDocument, payload: any Sendable) {
            self.owner = owner
            self.payload = payload
        }
    }

    /// The text of `owner` with something that travels beside it. Nothing is copied or parsed.
    init(of owner: JsonDocument, attaching payload: any Sendable) {
        bytes = owner.bytes
        count = owner.count
        tape = owner.tape
        tapeCount = owner.tapeCount
        origin = owner.origin
        attachment = Attachment(owner: owner, payload: payload)
    }

    /// Parses a copy of the bytes.
    init(
        parsing source: UnsafeRawBufferPointer, limits: JsonLimits, origin: (@Sendable () -> String)? = nil
    ) throws(JsonError) {
        let count = source.count
        guard count <= limits.effectiveBytes else {
            throw JsonError(.tooLarge, offset: 0, line: 1, column: 1)
        }
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: count + Self.padding)
        if let base = source.baseAddress {
            UnsafeMutableRawPointer(copy).copyMemory(from: base, byteCount: count)
        }
        UnsafeMutableRawPointer(copy + count).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
        var parser = JsonParser(bytes: copy, count: count, limits: limits)
        do {
            try parser.parse()
        } catch {
            parser.discardTape()
            copy.deallocate()
            throw error
        }
        bytes = UnsafePointer(copy)
        self.count = count
        tape = UnsafePointer(parser.tape)
        tapeCount = parser.tapeCount
        self.origin = origin
        attachment = nil
    }

    deinit {
        guard attachment == nil else { return }
        bytes.deallocate()
        tape.deallocate()
    }

    @inline(__always)
    func word(_ node: Int) -> JsonWord { JsonWord(bits: tape[node]) }

    /// The index past the value at `node`.
    @inline(__always)
    func next(after node: Int) -> Int {
        let word = word(node)
        return word.isContainer ? word.low : node + 1
    }

    /// The text of the string at `node`.
    func string(at node: Int) -> String { JsonText.string(word(node), in: bytes) }

    /// The characters of the number at `node`.
    func numberText(at node: Int) -> String {
        let word = word(node)
        return String(decoding: UnsafeBufferPointer(start: bytes + word.low, count: word.high), as: UTF8.self)
    }
}
