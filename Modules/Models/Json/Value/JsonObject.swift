/// The members of an object that was built, in the order in which they were added; one member a key.
struct JsonObject: Sendable {
    /// A key, equal to another when their Unicode scalars are (RFC 8259, section 8.3).
    struct Key: Hashable, Sendable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    private(set) var keys: [String] = []
    private(set) var values: [Json] = []
    /// Present from `indexedCount` members on: shorter objects are searched from the start.
    private var index: [Key: Int]?
    private static let indexedCount = 12

    init() {}

    init(_ members: some Sequence<(String, Json)>) {
        for (key, value) in members { self[key] = value }
    }

    var count: Int { keys.count }

    private func position(of key: String) -> Int? {
        if let index { return index[Key(text: key)] }
        return keys.firstIndex { $0.utf8.elementsEqual(key.utf8) }
    }

    /// The member's value; a new key goes to the end, nil removes the member.
    subscript(key: String) -> Json? {
        get { position(of: key).map { values[$0] } }
        set {
            if let position = position(of: key) {
                if let newValue {
                    values[position] = newValue
                } else {
                    keys.remove(at: position)
                    values.remove(at: position)
                    rebuildIndex()
                }
            } else if let newValue {
                keys.append(key)
                values.append(newValue)
                if index != nil {
                    index?[Key(text: key)] = keys.count - 1
                } else {
                    rebuildIndex()
                }
            }
        }
    }

    private mutating func rebuildIndex() {
        guard keys.count >= Self.indexedCount else { return index = nil }
        index = Dictionary(uniqueKeysWithValues: keys.enumerated().map { (Key(text: $0.element), $0.offset) })
    }
}
