/// The `Encoder` of one value. What it is given goes straight into the writer's buffer.
///
/// It is reused for the next value at the same depth unless a type still references it. Containers from
/// `nestedContainer` or `superEncoder` may be written to in any order, so each of them has a dedicated encoder and
/// writer. Their texts are inserted when the value that requested them is complete.
final class JsonValueEncoder: JsonPlace {
    enum State {
        case empty, single, array, object
    }

    /// A container with a dedicated writer, and the position of its text in this one's.
    private struct Insertion {
        let place: Int
        let encoder: JsonValueEncoder
    }

    let settings: JsonEncoder.Settings
    private(set) var writer: JsonWriter
    /// Owns the writer, unless a parent does.
    private var owner: JsonWriter.Owner?
    let types = JsonEncodableCollections.types
    private(set) var state = State.empty
    /// The number of elements or members.
    private(set) var count = 0
    /// Where the text of the last element or member starts, with the comma before it.
    private var entryStart = 0
    /// How many arrays and objects the value is in.
    private(set) var depth = 0
    private let members = JsonEncodedMembers()
    /// In ascending order of their places.
    private var insertions: [Insertion] = []
    /// The insertions that are members, by their names.
    private var nested: [String: Int] = [:]
    /// Whether a child is writing to the writer.
    private var isLent = false
    /// Whether the text is discarded: a type kept the encoder after its value was complete, or misuses it.
    private var isDiscarded = false

    private var spare: JsonValueEncoder?

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

    // MARK: - Life of a value

    @inline(__always)
    private func begin(atDepth depth: Int) {
        self.depth = depth
        state = .empty
        count = 0
        members.clear()
        if !insertions.isEmpty { dropInsertions() }
    }

    /// Closes what was opened. A value that has encoded nothing is an empty object.
    @inline(__always)
    func end() {
        switch state {
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
    private func openBracket(_ byte: UInt8, _ state: State) {
        self.state = state
        writer.check(depth: depth + 1)
        writer.write(byte)
    }

    @inline(__always)
    private func closeBracket(_ byte: UInt8) {
        // After misuse places may be wrong, and the text isn't used.
        if writer.misuse == nil {
            if !insertions.isEmpty { splice() }
            if state == .object, writer.sortsKeys || members.mayRepeat {
                members.settle(in: writer, separator: writer.isPretty ? 2 * depth + 4 : 1)
            }
        }
        if writer.isPretty {
            if count == 0 { writer.write(0x0A) }
            writer.writeLine(indent: depth)
        }
        writer.write(byte)
    }

    /// Puts the texts of the containers that were written apart where they belong.
    @inline(never)
    private func splice() {
        for insertion in insertions {
            insertion.encoder.end()
            insertion.encoder.writer.misuse.map { writer.misuse = $0 }
        }
        let texts = insertions.map { ($0.place, $0.encoder.writer) }
        writer.insert(texts)
        members.move(by: texts)
        dropInsertions()
    }

    // MARK: - Elements and members

    /// Writes what comes before an element.
    @inline(__always)
    func beginElement() {
        if isLent { reportMisuse() }
        entryStart = writer.count
        if count > 0 { writer.write(0x2C) }
        if writer.isPretty { writer.writeLine(indent: depth + 1) }
        count += 1
    }

    /// Writes a key and what comes before and after it.
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
    func name(of key: some CodingKey) -> String {
        settings.keepsKeys ? key.stringValue : settings.convert(key.stringValue, codingPath)
    }

    /// Runs the body, which writes an element or member; if it fails, removes what it wrote, so that a type can
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

    /// The same for this encoder's own value: another may take its place.
    @inline(never)
    func undoValue(from start: Int) {
        writer.truncate(to: start)
        begin(atDepth: depth)
    }

    /// Releases the encoders of the insertions, which hold this one.
    private func dropInsertions() {
        for insertion in insertions { insertion.encoder.retire() }
        insertions = []
        nested = [:]
    }

    /// Releases the encoders below: when the value is complete or has failed.
    func retire() {
        isDiscarded = true
        dropInsertions()
    }

    // MARK: - Children

    /// An encoder for a child whose text goes here.
    @inline(__always)
    private func takeChild() -> JsonValueEncoder {
        let child: JsonValueEncoder
        if let spare {
            child = spare
            self.spare = nil
        } else {
            child = JsonValueEncoder(of: self)
        }
        child.begin(atDepth: depth + 1)
        isLent = true
        return child
    }

    @inline(__always)
    private func giveBack(_ child: inout JsonValueEncoder) {
        isLent = false
        if isKnownUniquelyReferenced(&child) {
            child.leave()
            spare = child
        } else {
            // A type kept it: its later text is discarded.
            child.detach()
        }
    }

    /// Runs the body on an encoder for a member's value.
    @inline(__always)
    func withChild(_ key: some CodingKey, _ body: (JsonValueEncoder) throws -> Void) throws {
        var child = takeChild()
        child.place(below: self, at: key)
        defer { giveBack(&child) }
        try body(child)
        child.end()
    }

    /// Runs the body on an encoder for an element.
    @inline(__always)
    func withChild(_ index: Int, _ body: (JsonValueEncoder) throws -> Void) throws {
        var child = takeChild()
        child.place(below: self, at: index)
        defer { giveBack(&child) }
        try body(child)
        child.end()
    }

    @inline(never)
    private func detach() {
        retire()
        let owner = JsonWriter.Owner(settings.format, capacity: 64)
        self.owner = owner
        writer = owner.writer
        // Its own child may be kept as well; that stays below this encoder.
        spare = nil
    }

    /// An encoder that is written apart and put in here; for a name that has one of this kind already, that one.
    func insertion(_ key: some CodingKey, _ state: State = .empty) -> JsonValueEncoder {
        let isMember = self.state == .object
        let name = isMember ? name(of: key) : ""
        if let encoder = nested[name].map({ insertions[$0].encoder }), encoder.state == state { return encoder }
        let index = count
        if isMember { beginMember(name) } else { beginElement() }
        let encoder = JsonValueEncoder(apart: settings, capacity: 128)
        encoder.begin(atDepth: depth + 1)
        if isMember { encoder.place(below: self, at: key) } else { encoder.place(below: self, at: index) }
        if state != .empty { encoder.openBracket(state == .object ? 0x7B : 0x5B, state) }
        encoder.isDiscarded = isDiscarded
        if !isDiscarded {
            if isMember, state != .empty { nested[name] = insertions.count }
            insertions.append(Insertion(place: writer.count, encoder: encoder))
        }
        return encoder
    }

    // MARK: - Opening

    /// The encoder that a container of this kind writes to: this one, unless it has begun something else.
    func open(_ state: State) -> JsonValueEncoder {
        if self.state == .empty {
            openBracket(state == .object ? 0x7B : 0x5B, state)
        } else if self.state != state {
            return misused()
        }
        return self
    }

    /// Begins a single value. False if something was encoded already: then nothing may be written.
    @inline(__always)
    func openSingle() -> Bool {
        if state == .empty {
            state = .single
            return true
        }
        _ = misused()
        return false
    }

    /// An encoder whose text is discarded. The encoding fails at its end.
    func misused() -> JsonValueEncoder {
        reportMisuse()
        let encoder = JsonValueEncoder(apart: settings, capacity: 64)
        encoder.begin(atDepth: depth + 1)
        encoder.isDiscarded = true
        return encoder
    }

    @inline(never)
    private func reportMisuse() {
        let context = EncodingError.Context(
            codingPath: codingPath,
            debugDescription: "A type encoded two values, or two kinds of containers, as one, or two at a time.")
        writer.misuse = .invalidValue(codingPath.last?.stringValue ?? "", context)
    }
}
