/// The `Encoder` of one value. It writes directly into the writer's buffer.
///
/// It is reused for the next value at the same depth unless a type still references it. Containers from
/// `nestedContainer` or `superEncoder` may be written to in any order, so each of them has a dedicated encoder and
/// writer. Their texts are inserted when the value that requested them is complete.
final class JsonValueEncoder: JsonPlace {
    /// What was encoded, or is being encoded.
    enum Content {
        case empty, single, array, object
    }

    /// An encoder with a dedicated writer, and the offset at which its text is inserted in this encoder's.
    private struct Insertion {
        let place: Int
        let encoder: JsonValueEncoder
    }

    let settings: JsonEncoder.Settings
    private(set) var writer: JsonWriter
    /// Owns the writer, unless a parent does.
    private var owner: JsonWriter.Owner?
    let types = JsonTypeTable.shared
    private(set) var content = Content.empty
    /// The number of elements or members.
    private(set) var count = 0
    /// The offset of the last element or member, the comma before it included.
    private var entryStart = 0
    /// The number of arrays and objects that contain the value.
    private(set) var depth = 0
    private let members = JsonEncodedMembers()
    /// In ascending order of their places.
    private var insertions: [Insertion] = []
    /// The indices in `insertions` of nested containers that are members, by name.
    private var nested: [String: Int] = [:]
    /// Whether a child is writing to the writer.
    private var isLent = false
    /// Whether the text is discarded: a type kept the encoder after its value was complete, or misuses it.
    private var isDiscarded = false

    @exclusivity(unchecked) private var spare: JsonValueEncoder?
    /// Finds the keys of an encoder whose parent is not its value's container; nil for any other, and once it is kept.
    @exclusivity(unchecked) var output: UnsafeMutablePointer<JsonOutputContext>?
    /// The same keys, of an encoder that is kept.
    @exclusivity(unchecked) var keptKeys: [any CodingKey]?

    /// An encoder that writes to its parent's writer.
    private init(of parent: JsonValueEncoder) {
        settings = parent.settings
        writer = parent.writer
    }

    /// An encoder with a dedicated writer.
    init(apart settings: JsonEncoder.Settings, capacity: Int) {
        self.settings = settings
        let owner = JsonWriter.Owner(settings.format, capacity: capacity)
        self.owner = owner
        writer = owner.writer
    }

    override var keysBelowParent: [any CodingKey]? { output?.pointee.keys() ?? keptKeys }

    // MARK: - Life of a value

    @inline(__always)
    func begin(atDepth depth: Int) {
        self.depth = depth
        content = .empty
        count = 0
        members.clear()
        if !insertions.isEmpty { dropInsertions() }
    }

    /// Completes the value: inserts the nested texts and closes the bracket. A value that encoded nothing is an empty
    /// object.
    @inline(__always)
    func end() {
        switch content {
        case .single:
            if !insertions.isEmpty, writer.misuse == nil { splice() }
        case .object:
            closeBracket(0x7D)
        case .array:
            closeBracket(0x5D)
        case .empty:
            openBracket(0x7B, .object)
            closeBracket(0x7D)
        }
    }

    @inline(__always)
    private func openBracket(_ byte: UInt8, _ content: Content) {
        self.content = content
        writer.check(depth: depth + 1) { codingPath }
        writer.write(byte)
    }

    @inline(__always)
    private func closeBracket(_ byte: UInt8) {
        // After misuse offsets may be wrong, and the text is discarded.
        if writer.misuse == nil {
            if !insertions.isEmpty { splice() }
            if content == .object, writer.sortsKeys || members.mayRepeat {
                members.settle(in: writer, separator: writer.isPretty ? 2 * depth + 4 : 1)
            }
        }
        if writer.isPretty {
            if count == 0 { writer.write(0x0A) }
            writer.writeLine(indent: depth)
        }
        writer.write(byte)
    }

    /// Inserts the texts of the nested encoders that have a dedicated writer.
    @inline(never)
    private func splice() {
        for insertion in insertions {
            insertion.encoder.end()
            writer.report(insertion.encoder.writer)
        }
        let texts = insertions.map { ($0.place, $0.encoder.writer) }
        writer.insert(texts)
        members.move(by: texts)
        dropInsertions()
    }

    // MARK: - Elements and members

    /// Writes the comma and the line break that precede an element.
    @inline(__always)
    func beginElement() {
        if isLent { reportMisuse() }
        entryStart = writer.count
        if count > 0 { writer.write(0x2C) }
        if writer.isPretty { writer.writeLine(indent: depth + 1) }
        count += 1
    }

    /// Writes a key, with the comma before it and the colon after it. `isUnique` means that no other member has the
    /// key.
    @inline(__always)
    func beginMember(_ name: String, isUnique: Bool = false) {
        beginElement()
        let place = writer.count
        writer.write(name)
        if !isUnique || writer.sortsKeys { members.add(place, in: writer) }
        if writer.isPretty { writer.write(raw: " : ") } else { writer.write(0x3A) }
    }

    /// The name that a key has in the text.
    @inline(__always)
    func name<Key: CodingKey>(of key: Key) -> String {
        settings.keepsKeys || Key.isData ? key.stringValue : settings.convert(key, codingPath)
    }

    /// Runs the body, which writes an element or member. If it fails, removes what it wrote, so that a type can
    /// continue after a failure.
    @inline(__always)
    func undoingFailure(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            undoEntry()
            throw error
        }
    }

    @inline(never)
    private func undoEntry() {
        writer.truncate(to: entryStart)
        count -= 1
        members.remove(from: entryStart)
    }

    /// Removes what was written of this encoder's own value, so that the type can encode another.
    @inline(never)
    func undoValue(from start: Int) {
        writer.truncate(to: start)
        begin(atDepth: depth)
    }

    /// Releases the nested encoders, which reference this one (a retain cycle).
    private func dropInsertions() {
        for insertion in insertions { insertion.encoder.retire() }
        insertions = []
        nested = [:]
    }

    /// Releases the nested encoders when the value is complete or has failed. Later text is discarded.
    func retire() {
        isDiscarded = true
        dropInsertions()
    }

    // MARK: - Children

    /// An encoder for a child, which writes to this encoder's writer.
    @inline(__always)
    func takeChild() -> JsonValueEncoder {
        // A swap and not a copy, which would count references.
        var taken: JsonValueEncoder?
        swap(&taken, &spare)
        let child = taken ?? JsonValueEncoder(of: self)
        child.begin(atDepth: depth + 1)
        isLent = true
        return child
    }

    /// Keeps the child for the next value, unless something else references it.
    @inline(__always)
    func giveBack(_ child: consuming JsonValueEncoder) {
        isLent = false
        if isKnownUniquelyReferenced(&child) {
            spare = child
        } else {
            // A type kept the encoder: its later text is discarded.
            child.detach()
        }
    }

    @inline(never)
    private func detach() {
        keepParent()
        retire()
        let owner = JsonWriter.Owner(settings.format, capacity: 64)
        self.owner = owner
        writer = owner.writer
        // A type may have kept the child's own child too. That one stays below this encoder.
        spare = nil
    }

    /// A nested encoder with a dedicated writer, whose text is inserted here. For a name that already has a container
    /// of this kind, that container's encoder.
    func insertion(_ key: some CodingKey, _ content: Content = .empty) -> JsonValueEncoder {
        let isMember = self.content == .object
        let name = isMember ? name(of: key) : ""
        if let encoder = nested[name].map({ insertions[$0].encoder }), encoder.content == content { return encoder }
        let index = count
        if isMember { beginMember(name) } else { beginElement() }
        let encoder = JsonValueEncoder(apart: settings, capacity: 128)
        encoder.begin(atDepth: depth + 1)
        if isMember { encoder.place(below: self, at: key) } else { encoder.place(below: self, at: index) }
        encoder.keepParent()
        if content != .empty { encoder.openBracket(content == .object ? 0x7B : 0x5B, content) }
        encoder.isDiscarded = isDiscarded
        if !isDiscarded {
            if isMember, content != .empty { nested[name] = insertions.count }
            insertions.append(Insertion(place: writer.count, encoder: encoder))
        }
        return encoder
    }

    // MARK: - Opening

    /// The encoder that a container of this kind writes to: this one, unless it has begun something else.
    func open(_ content: Content) -> JsonValueEncoder {
        if self.content == .empty {
            openBracket(content == .object ? 0x7B : 0x5B, content)
        } else if self.content != content {
            return misused()
        }
        return self
    }

    /// Begins a single value. False if something was encoded already: then nothing may be written.
    @inline(__always)
    func openSingle() -> Bool {
        if content == .empty {
            content = .single
            return true
        }
        _ = misused()
        return false
    }

    /// An encoder whose text is discarded. The whole encoding fails when it completes.
    func misused() -> JsonValueEncoder {
        reportMisuse()
        let encoder = JsonValueEncoder(apart: settings, capacity: 64)
        encoder.begin(atDepth: depth + 1)
        encoder.isDiscarded = true
        return encoder
    }

    @inline(never)
    private func reportMisuse() {
        writer.report("A type encoded two values, or two kinds of containers, as one, or two at a time.") { codingPath }
    }
}
