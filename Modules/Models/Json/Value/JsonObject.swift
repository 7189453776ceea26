/// The members of an object that was built, in the order in which they were added; one member per key.
struct JsonObject: Sendable {
    /// A key, equal to another when their Unicode scalars are (RFC 8259, section 8.3).
    struct Key: Hashable, Sendable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(UInt8(0xFF))
        }
    }

    struct Member: Sendable {
        let key: String
        var value: Json
    }

    /// The members; nil where one was removed, so that the others keep their positions.
    private(set) var members: [Member?] = []
    private(set) var count = 0
    /// The positions of the keys; nil while there are at most `searchedPlaces` members, which are searched linearly.
    private var index: [Key: Int]?
    private static let searchedPlaces = 12

    init() {}

    init(_ members: some Sequence<(String, Json)>) {
        for (key, value) in members { self[key] = value }
    }

    private func place(of key: String) -> Int? {
        if let index { return index[Key(text: key)] }
        return members.firstIndex { $0.map { $0.key.utf8.elementsEqual(key.utf8) } == true }
    }

    /// The member's value. Setting a new key appends it; setting nil removes the member.
    subscript(key: String) -> Json? {
        get { place(of: key).flatMap { members[$0]?.value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place]?.value = value
            case (let place?, nil): remove(key, at: place)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Moves the member's value out, so that it can change in place. The member is `null` until it is set again.
    mutating func take(_ key: String) -> Json? {
        guard let place = place(of: key) else { return nil }
        defer { members[place]?.value = .null }
        return members[place]?.value
    }

    private mutating func append(_ key: String, _ value: Json) {
        members.append(Member(key: key, value: value))
        count += 1
        if index != nil {
            index?[Key(text: key)] = members.count - 1
        } else {
            updateIndex()
        }
    }

    private mutating func remove(_ key: String, at place: Int) {
        members[place] = nil
        index?[Key(text: key)] = nil
        count -= 1
        // Compacted only when more than half of the members are removed, so that the cost per removal is constant
        // (amortized).
        if members.count > 2 * count {
            members.removeAll { $0 == nil }
            updateIndex()
        }
    }

    private mutating func updateIndex() {
        index = nil
        guard members.count > Self.searchedPlaces else { return }
        var index = [Key: Int](minimumCapacity: members.count)
        for (place, member) in members.enumerated() { if let member { index[Key(text: member.key)] = place } }
        self.index = index
    }
}
