/// Where a value stands below its parents: what decoders and encoders have in common.
class JsonPlace {
    // No access to it, or to `key`, calls anything while it is under way.
    @exclusivity(unchecked) private(set) final var parent: JsonPlace?
    /// The type of a key that fits into `keyByte`: an enumeration's as a rule. Keeping it so costs no copy of an
    /// existential for each value, only to have a coding path that nobody asks for.
    private final var keyType: (any CodingKey.Type)?
    private final var keyByte: UInt8 = 0
    /// Any other key, and whether there is one, which is told faster so than by the key itself.
    @exclusivity(unchecked) private final var key: (any CodingKey)?
    private final var hasKey = false
    /// The value's place in an array, below 0 where it has a key or is a root.
    private final var index = -1

    /// Puts the value below a parent's key.
    @inline(__always)
    final func stand<Key: CodingKey>(below parent: JsonPlace, at key: Key) {
        self.parent = parent
        index = -1
        // What has one byte is no reference.
        if MemoryLayout<Key>.size <= 1 {
            keyType = Key.self
            // Its one byte, which `restore` makes the same type of again.
            if MemoryLayout<Key>.size == 1 { keyByte = unsafeBitCast(key, to: UInt8.self) }
        } else {
            keyType = nil
            replaceKey(with: key)
            hasKey = true
        }
    }

    /// Puts the value into a parent's array.
    @inline(__always)
    final func stand(below parent: JsonPlace, at index: Int) {
        self.parent = parent
        self.index = index
    }

    /// Goes on to another element of the same array.
    @inline(__always)
    final func move(to index: Int) { self.index = index }

    /// Takes the value out from below its parent.
    @inline(__always)
    final func leave() { parent = nil }

    /// Lets go of a key of the user's.
    @inline(__always)
    final func forgetKey() {
        guard hasKey else { return }
        replaceKey(with: nil)
        hasKey = false
    }

    /// The old key ends after the access: it may be the user's, and then runs what the user wrote.
    private final func replaceKey(with new: (any CodingKey)?) {
        var other = new
        swap(&other, &key)
    }

    final var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var place = self
        while let parent = place.parent {
            path.append(place.lastKey)
            place = parent
        }
        return path.reversed()
    }

    private final var lastKey: any CodingKey {
        if index >= 0 { return JsonKey(index: index) }
        if let keyType { return restore(keyType) }
        return key ?? JsonKey("")
    }

    private final func restore<Key: CodingKey>(_ type: Key.Type) -> any CodingKey {
        withUnsafeBytes(of: keyByte) { $0.load(as: type) }
    }
}
