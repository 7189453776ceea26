import Synchronization

/// The bytes of a valid JSON text, and the tape with the positions of its values.
///
/// `padding` zero bytes follow the text, so that the parser may read past its end. A parsed document owns the memory of
/// both. A document that was created from it with another provenance shares that memory.
final class JsonDocument: @unchecked Sendable {  // immutable, except what a mutex protects
    static let padding = 16

    let bytes: UnsafePointer<UInt8>
    let count: Int
    let tape: UnsafePointer<UInt64>
    let tapeCount: Int
    /// Where the text came from.
    let provenance: (any JsonProvenance)?
    /// The `DefaultElements` that the first element of an array reports to.
    let defaultElements: (any AnyObject & Sendable)?
    /// The document that owns the memory; nil if this one does.
    private let owner: JsonDocument?
    /// The indices of large arrays and objects, by their tape index.
    let indices = Mutex<[Int: Index]>([:])

    /// Creates a document with the text of `document` and another provenance. Nothing is copied or parsed.
    init(
        of document: JsonDocument, provenance: (any JsonProvenance)?,
        _ defaultElements: (any AnyObject & Sendable)? = nil
    ) {
        bytes = document.bytes
        count = document.count
        tape = document.tape
        tapeCount = document.tapeCount
        self.provenance = provenance
        self.defaultElements = defaultElements
        owner = document.memory
    }

    /// The document that owns the memory.
    var memory: JsonDocument { owner ?? self }

    /// Parses a copy of the bytes.
    init(
        parsing source: UnsafeRawBufferPointer, limits: JsonLimits, provenance: (any JsonProvenance)? = nil
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
        self.provenance = provenance
        defaultElements = nil
        owner = nil
    }

    deinit {
        guard owner == nil else { return }
        bytes.deallocate()
        tape.deallocate()
    }

    @inline(__always)
    func word(_ node: Int) -> JsonWord { JsonWord(bits: tape[node]) }

    /// The tape index past the value at `node`.
    @inline(__always)
    func next(after node: Int) -> Int {
        let word = word(node)
        return word.isContainer ? word.low : node + 1
    }

    func string(at node: Int) -> String { JsonText.string(word(node), in: bytes) }

    func numberText(at node: Int) -> String { JsonText.verbatim(word(node), in: bytes) }
}
