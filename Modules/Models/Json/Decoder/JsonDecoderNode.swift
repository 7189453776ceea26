/// The `Decoder` of one value of a document.
///
/// A node is used again for the next value at the same depth if nobody has kept it, so that decoding allocates one
/// node a depth and not one a value. Each node holds its parent, which gives the coding path and keeps the document
/// alive, also where a type stores its decoder.
final class JsonDecoderNode {
    /// The index that stands for a missing value, which reads as `null`.
    static let missing = -1

    private(set) var settings: JsonDecoder.Settings
    let bytes: UnsafePointer<UInt8>
    let tape: UnsafePointer<UInt64>
    let types = JsonTypeTable.shared
    /// The value's place on the tape.
    private(set) var node = 0

    // What `JsonDecoderNode+Members` knows of the value's members once it was asked for as an object.

    /// Where the key is expected that is asked for next, `end` where keys must be looked up in `table`.
    var cursor = 0
    /// The end of the members; 0 until the value was asked for as an object.
    var end = 0
    /// A way to find members of objects with many of them, with duplicates, or with keys that a strategy converts.
    var table: JsonMemberTable?

    /// Held by a root only.
    private var document: JsonDocument?
    private var parent: JsonDecoderNode?
    private var key: (any CodingKey)?
    /// The value's place in an array, below 0 where it has a key or is a root.
    private var index = -1
    private var spare: JsonDecoderNode?

    /// A root.
    init(_ document: JsonDocument) {
        bytes = document.bytes
        tape = document.tape
        settings = JsonDecoder.default.settings
    }

    /// A child.
    private init(of parent: JsonDecoderNode) {
        bytes = parent.bytes
        tape = parent.tape
        settings = parent.settings
    }

    /// Makes a root ready for a value.
    func start(_ document: JsonDocument, at node: Int, _ settings: JsonDecoder.Settings) {
        self.document = document
        self.settings = settings
        self.node = node
        closeMembers()
    }

    /// Lets go of the document, which may keep this root for later.
    func rest() {
        document = nil
    }

    // MARK: - Children

    /// A node of its own for a child, which the caller may keep.
    func child(at node: Int, key: (any CodingKey)?, index: Int = -1) -> JsonDecoderNode {
        let child = JsonDecoderNode(of: self)
        child.parent = self
        child.node = node
        child.key = key
        child.index = index
        return child
    }

    /// A node for a child whose `init(from:)` is about to run, the spare one if there is one.
    @inline(__always)
    private func takeChild() -> JsonDecoderNode {
        let child: JsonDecoderNode
        if let spare {
            child = spare
            self.spare = nil
            if child.settings !== settings { child.settings = settings }
        } else {
            child = JsonDecoderNode(of: self)
        }
        child.parent = self
        return child
    }

    /// Keeps the child for the next value, unless somebody else keeps it.
    @inline(__always)
    private func giveBack(_ child: inout JsonDecoderNode) {
        guard isKnownUniquelyReferenced(&child) else { return }
        child.parent = nil
        spare = child
    }

    @inline(__always)
    private func decodeChild<Value: Decodable>(
        _ type: Value.Type, at node: Int, key: @autoclosure () -> (any CodingKey)?, index: Int
    ) throws -> Value {
        var child = takeChild()
        child.closeMembers()
        child.node = node
        child.key = key()
        child.index = index
        defer { giveBack(&child) }
        return try Value(from: child)
    }

    /// Decodes the elements of this array in order.
    @inline(__always)
    func decodeElements<Element: Decodable>(_ kind: JsonTypeEntry.Kind, _ take: (consuming Element) -> Void) throws {
        var place = node + 1
        let end = word(node).low
        var index = 0
        guard kind == .plain else {
            while place < end {
                take(try decode(Element.self, at: place, index: index))
                place = next(after: place)
                index += 1
            }
            return
        }
        var child = takeChild()
        child.key = nil
        defer { giveBack(&child) }
        while place < end {
            child.closeMembers()
            child.node = place
            child.index = index
            take(try Element(from: child))
            place = next(after: place)
            index += 1
            if !isKnownUniquelyReferenced(&child) {
                child = takeChild()
                child.key = nil
            }
        }
    }

    /// Decodes the member at `node`.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at node: Int, key: some CodingKey) throws -> Value {
        let kind = types.kind(of: type)
        if kind == .plain { return try decodeChild(type, at: node, key: key, index: -1) }
        if kind == .collection { return try collection(type, at: node, key, -1) }
        return try special(type, kind, at: node) { codingPath + [key] }
    }

    /// Decodes the element at `node`.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at node: Int, index: Int) throws -> Value {
        let kind = types.kind(of: type)
        if kind == .plain { return try decodeChild(type, at: node, key: nil, index: index) }
        if kind == .collection { return try collection(type, at: node, nil, index) }
        return try special(type, kind, at: node) { codingPath + [JsonKey(index: index)] }
    }

    /// Decodes this node's own value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let kind = types.kind(of: type)
        if kind == .plain { return try Value(from: self) }
        if kind == .collection {
            guard let collection = types.collection(of: type) else { return try Value(from: self) }
            return try decodeSelf(as: collection)
        }
        return try special(type, kind, at: node) { codingPath }
    }

    @inline(never)
    private func collection<Value: Decodable>(
        _ type: Value.Type, at node: Int, _ key: (any CodingKey)?, _ index: Int
    ) throws -> Value {
        guard let collection = types.collection(of: type) else {
            return try decodeChild(type, at: node, key: key, index: index)
        }
        var child = takeChild()
        child.closeMembers()
        child.node = node
        child.key = key
        child.index = index
        defer { giveBack(&child) }
        return try child.decodeSelf(as: collection)
    }

    /// Reads this node's value as a collection that is the very type that is wanted.
    private func decodeSelf<Collection: JsonCollection, Value>(as type: Collection.Type) throws -> Value {
        Self.same(try type.decode(from: self))
    }

    // MARK: - Place

    /// What the tape says about the value.
    @inline(__always)
    func word(_ node: Int) -> JsonWord { node < 0 ? JsonWord(bits: JsonWord.null) : JsonWord(bits: tape[node]) }

    /// The index past the value.
    @inline(__always)
    func next(after node: Int) -> Int {
        let word = JsonWord(bits: tape[node])
        return word.isContainer ? word.low : node + 1
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var place = self
        while let parent = place.parent {
            if let key = place.key {
                path.append(key)
            } else if place.index >= 0 {
                path.append(JsonKey(index: place.index))
            }
            place = parent
        }
        return path.reversed()
    }

    /// A view of the value at this place, which keeps the document alive.
    func json(at node: Int) -> Json {
        var place = self
        while let parent = place.parent { place = parent }
        guard node >= 0, let document = place.document else { return .null }
        return Json(.document(document, node: node))
    }
}

extension JsonDecoderNode: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard word(node).kind == JsonWord.object else {
            throw mismatch([String: Any].self, at: node, codingPath, container: "keyed")
        }
        openMembers()
        return KeyedDecodingContainer(JsonKeyedContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard word(node).kind == JsonWord.array else {
            throw mismatch([Any].self, at: node, codingPath, container: "unkeyed")
        }
        return JsonUnkeyedContainer(decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}
