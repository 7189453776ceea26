/// The keyed containers that a decoder lends to `init(from:)`, to lend them again for the next values with the same
/// keys.
///
/// To make a container costs as much as to read some members: the runtime looks generic types up and allocates an
/// object. A lent one does not count its reference to the decoder, because the decoder has it. When `init(from:)` has
/// returned, the decoder asks whether the containers are back.
struct JsonLentContainers {
    private struct Slot {
        /// Nil in slots that are free, which are the last ones.
        var key: ObjectIdentifier?
        var reference: Reference?
        /// The `Lender` for the container's type.
        var lender: AnyClass?
    }

    /// Stands for the one reference that a `KeyedDecodingContainer` is. Counted, but never looked into; `AnyObject`
    /// would do, but for the copy that the compiler makes of it to ask whether it is the only reference.
    final class Reference {}

    /// Makes a container of its reference. It knows the container's type, which `container(_:)` would have to ask the
    /// runtime for; hence it must not become a part of that.
    private class Lender<Container> {
        @inline(never)
        class func container(_ reference: Reference) -> Container {
            // What `add` made the reference of.
            unsafeBitCast(reference, to: Container.self)
        }
    }

    /// A type with a class above it asks for two containers; values at one depth may be of some types.
    private static let capacity = 4

    /// Bare memory, because access to a part of a class is checked at run time. Whoever has the containers frees it.
    private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)

    init() { slots.initialize(repeating: Slot(), count: Self.capacity) }

    func free() {
        slots.deinitialize(count: Self.capacity)
        slots.deallocate()
    }

    /// The container for this type of key. If there is none it is made, lent if that is possible.
    @inline(__always)
    func container<Key: CodingKey>(_ key: Key.Type, of decoder: JsonValueDecoder) -> KeyedDecodingContainer<Key> {
        for index in 0..<Self.capacity where slots[index].key == ObjectIdentifier(key) {
            guard let reference = slots[index].reference, let lender = slots[index].lender else { break }
            // Unchecked: the lender was stored with this type of key.
            return unsafeBitCast(lender, to: Lender<KeyedDecodingContainer<Key>>.Type.self).container(reference)
        }
        return add(key, of: decoder)
    }

    @inline(never)
    private func add<Key: CodingKey>(_ key: Key.Type, of decoder: JsonValueDecoder) -> KeyedDecodingContainer<Key> {
        // A container was one reference in every Swift so far. Were it something else one day, it would not be lent.
        guard MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<Reference>.size,
            let free = (0..<Self.capacity).first(where: { slots[$0].key == nil }),
            !JsonKeptContainers.isKept(ObjectIdentifier(key))
        else { return KeyedDecodingContainer(JsonKeyedContainer<Key, JsonValueDecoder>(owning: decoder)) }
        let container = KeyedDecodingContainer(JsonKeyedContainer<Key, Void>(lentBy: decoder))
        // Unchecked but for the size, above: the box is a native object, which is all that `Reference` stands for.
        slots[free] = Slot(
            key: ObjectIdentifier(key), reference: unsafeBitCast(container, to: Reference.self),
            lender: Lender<KeyedDecodingContainer<Key>>.self)
        return container
    }

    /// Whether nobody but the decoder has any of the containers.
    @inline(__always)
    var areBack: Bool {
        for index in 0..<Self.capacity {
            if slots[index].key == nil { break }
            if !isKnownUniquelyReferenced(&slots[index].reference) { return false }
        }
        return true
    }

    /// Leaves the containers to whoever keeps one of them. They don't hold the decoder, so that it is held for them.
    @inline(never)
    func leave(to decoder: JsonValueDecoder) {
        for index in 0..<Self.capacity {
            guard let key = slots[index].key else { break }
            if !isKnownUniquelyReferenced(&slots[index].reference), let container = slots[index].reference {
                JsonKeptContainers.add(container, of: decoder, key)
            }
            slots[index] = Slot()
        }
    }
}
