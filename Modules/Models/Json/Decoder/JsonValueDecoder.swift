/// The `Decoder` of one value of a document.
///
/// It is reused for the next value at the same depth, unless a type or a container still references it. So decoding
/// allocates one decoder per depth and not one per value. Each knows its parent, for the coding path. A decoder that a
/// type stores retains its parents, and so the document.
final class JsonValueDecoder: JsonPlace {
    /// The index of a missing value, which decodes as `null`.
    static let missing = -1

    @exclusivity(unchecked) private(set) var settings: JsonDecoder.Settings
    private(set) var bytes: UnsafePointer<UInt8>
    private(set) var tape: UnsafePointer<UInt64>
    let types = JsonTypeTable.shared
    /// The value's index on the tape.
    private(set) var node = 0

    // State of `JsonValueDecoder+Members`, set when a keyed container is requested.

    /// The tape index of the key that is expected next; `end` if all keys are looked up in `table`.
    var cursor = 0
    /// The tape index past the members; 0 until a keyed container is requested.
    var end = 0
    /// The hash table of an object with many members, with duplicate keys, or with keys that a strategy converts.
    @exclusivity(unchecked) var table: JsonMemberTable?
    /// Whether the keys are data, which no strategy converts.
    private var hasDataKeys = false
    /// Whether keys are compared without conversion.
    var keepsKeys: Bool { settings.keepsKeys || hasDataKeys }

    /// The document; only a root holds it.
    @exclusivity(unchecked) private var document: JsonDocument?
    @exclusivity(unchecked) private var spare: JsonValueDecoder?
    /// Finds the keys of a decoder whose parent is not its value's container; nil for any other, and once it is kept.
    @exclusivity(unchecked) var input: UnsafeMutablePointer<JsonInputContext>?
    /// The same keys, of a decoder that is kept.
    @exclusivity(unchecked) var keptKeys: [any CodingKey]?
    /// Whether a decoder above, or this one, decodes a member of a type that reads itself.
    private(set) var isBelowInput = false
    /// How many decoders are above this one.
    private let level: Int
    /// The deepest level whose decoders a root keeps for reuse. Most documents are less deep.
    private static let usualLevels = 15
    /// Whether spare decoders below this one are deeper than `usualLevels`.
    private var hasDeepSpare = false

    /// Creates a root.
    init(_ document: JsonDocument) {
        bytes = document.bytes
        tape = document.tape
        settings = .standard
        level = 0
    }

    /// Creates a child.
    private init(of parent: JsonValueDecoder) {
        bytes = parent.bytes
        tape = parent.tape
        settings = parent.settings
        level = parent.level + 1
        isBelowInput = parent.isBelowInput
    }

    /// Prepares a new or reused root for a value. `changed` replaces the standard settings unless it is nil.
    func start(_ document: JsonDocument, at node: Int, _ changed: JsonDecoder.Settings?) {
        self.document = document
        if let changed { settings = changed }
        bytes = document.bytes
        tape = document.tape
        self.node = node
        closeMembers()
    }

    /// Releases the document, the settings and the keys, so that another decoding can reuse the root and the decoders
    /// below it. Decoders deeper than `usualLevels` are released.
    func rest() {
        document = nil
        closeMembers()
        // The decoders below have released everything else when they became spare.
        var decoder = self
        while true {
            if decoder.settings !== JsonDecoder.Settings.standard { decoder.settings = .standard }
            decoder.hasDeepSpare = false
            decoder.releaseKey()
            guard let next = decoder.spare else { return }
            if decoder.level == Self.usualLevels { decoder.spare = nil }
            decoder = next
        }
    }

    // MARK: - Children

    /// A new decoder for a member, which the caller may keep.
    func child(at node: Int, key: some CodingKey) -> JsonValueDecoder {
        let child = JsonValueDecoder(of: self)
        child.place(below: self, at: key)
        child.keepParent()
        child.node = node
        return child
    }

    /// A new decoder for an element, which the caller may keep.
    func child(at node: Int, index: Int) -> JsonValueDecoder {
        let child = JsonValueDecoder(of: self)
        child.place(below: self, at: index)
        child.keepParent()
        child.node = node
        return child
    }

    /// A container whose keys are data, with a new decoder for the same value.
    private func dataContainer<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
        let twin = JsonValueDecoder(of: self)
        twin.place(like: self)
        twin.keepParent()
        twin.document = document
        twin.node = node
        twin.hasDataKeys = true
        twin.keptKeys = keysBelowParent
        twin.openMembers()
        return types.containers(type).container(of: twin)
    }

    /// A decoder for a child whose `init(from:)` is about to run, the spare one if there is one.
    @inline(__always)
    func takeChild(at node: Int) -> JsonValueDecoder {
        // A swap and not a copy, which would count references.
        var taken: JsonValueDecoder?
        swap(&taken, &spare)
        let child = taken ?? JsonValueDecoder(of: self)
        if child.settings !== settings { child.settings = settings }
        child.bytes = bytes
        child.tape = tape
        child.node = node
        child.isBelowInput = isBelowInput
        return child
    }

    /// Keeps the child for the next value, unless something else references it.
    @inline(__always)
    func giveBack(_ child: consuming JsonValueDecoder) {
        guard isKnownUniquelyReferenced(&child) else { return child.keepParent() }
        child.closeMembers()
        if child.hasDeepSpare || child.level > Self.usualLevels { hasDeepSpare = true }
        spare = child
    }

    /// The value of a member that the input of a type that reads itself has found.
    func place(below parent: JsonValueDecoder, _ input: UnsafeMutablePointer<JsonInputContext>) {
        place(below: parent, at: 0)
        self.input = input
        isBelowInput = true
    }

    override var keysBelowParent: [any CodingKey]? { input?.pointee.keys(to: node) ?? keptKeys }

    /// Decodes the elements of this decoder's array, which are plain. One child serves all of them unless something else
    /// references it.
    @inline(__always)
    func plainElements<Element: Decodable>() throws -> [Element] {
        var place = node + 1
        var child = takeChild(at: place)
        do {
            let elements = try Array(outsideCount: word(node).high) { index in
                if !isKnownUniquelyReferenced(&child) {
                    child.keepParent()
                    child = takeChild(at: place)
                }
                child.closeMembers()
                child.node = place
                child.place(below: self, at: index)
                place = next(after: place)
                return try Element(from: child)
            }
            giveBack(consume child)
            return elements
        } catch {
            giveBack(consume child)
            throw error
        }
    }

    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at node: Int, key: some CodingKey) throws -> Value {
        let kind = types.kind(of: type)
        if case .special(let kind) = kind { return try special(type, kind, at: node) { codingPath + [key] } }
        let child = takeChild(at: node)
        child.place(below: self, at: key)
        return try decode(with: consume child, kind)
    }

    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at node: Int, index: Int) throws -> Value {
        let kind = types.kind(of: type)
        if case .special(let kind) = kind {
            return try special(type, kind, at: node) { codingPath + [JsonKey(index: index)] }
        }
        let child = takeChild(at: node)
        child.place(below: self, at: index)
        return try decode(with: consume child, kind)
    }

    @inline(__always)
    private func decode<Value: Decodable>(with child: consuming JsonValueDecoder, _ kind: JsonTypeKind) throws -> Value
    {
        let value: Value
        do {
            #if compiler(>=6.2)
            value = kind.isPlain ? try Value(from: child) : try child.collection()
            #else
            // Before, the conversion to `any Decoder` consumes the child.
            value = kind.isPlain ? try Value(from: copy child) : try child.collection()
            #endif
        } catch {
            giveBack(consume child)
            throw error
        }
        giveBack(consume child)
        return value
    }

    /// Decodes this decoder's own value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let kind = types.kind(of: type)
        return switch kind {
        case .plain: try Value(from: self)
        case .collection: try collection()
        case .special(let kind): try special(type, kind, at: node) { codingPath }
        }
    }

    /// Decodes this decoder's own value as a collection.
    @inline(never)
    private func collection<Value: Decodable>() throws -> Value {
        let entry = types[Value.self]
        guard let collection = entry.pointee.decodable else {
            func read<Readable: JsonReadable>(_ type: Readable.Type) throws -> Value {
                sameType(try self.read(type))
            }
            return if let readable = entry.pointee.readable { try read(readable) } else { try Value(from: self) }
        }
        /// Decodes as `Collection`, which is the same type as `Value`.
        func decode<Collection: JsonCollection>(_ type: Collection.Type) throws -> Value {
            sameType(try type.decode(from: self))
        }
        return try decode(collection)
    }

    // MARK: - Place

    /// The value's word on the tape; `null` for a missing value.
    @inline(__always)
    func word(_ node: Int) -> JsonWord { node < 0 ? JsonWord(bits: JsonWord.null) : JsonWord(bits: tape[node]) }

    /// The tape index past the value.
    @inline(__always)
    func next(after node: Int) -> Int {
        let word = JsonWord(bits: tape[node])
        return word.isContainer ? word.low : node + 1
    }

    /// A view of the value at this tape index, which keeps the document alive.
    func json(at node: Int) -> Json {
        var place: JsonPlace = self
        while let parent = place.parent { place = parent }
        guard node >= 0, let document = (place as? JsonValueDecoder)?.document else { return .null }
        return Json(.document(document, node: node))
    }
}

extension JsonValueDecoder: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard word(node).kind == JsonWord.object else {
            throw mismatch([String: Any].self, at: node, codingPath, container: "keyed")
        }
        if !settings.keepsKeys, Key.isData { return dataContainer(type) }
        openMembers()
        return types.containers(type).container(of: self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard word(node).kind == JsonWord.array else {
            throw mismatch([Any].self, at: node, codingPath, container: "unkeyed")
        }
        return UnkeyedContainer(decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}
