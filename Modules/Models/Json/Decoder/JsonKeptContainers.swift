import Synchronization

/// The lent containers that somebody kept for longer than the `init(from:)` that they were lent to, with what lent
/// them.
///
/// Such a container goes on working because its decoder is held here, until nobody else has the container, which is
/// looked at when a decoding begins. New containers for the same type of keys own their decoders, so that the entries
/// are few: those of containers that were lent before, and not one for each value.
enum JsonKeptContainers {
    private struct Entry {
        var container: JsonLentContainers.Reference
        let decoder: JsonValueDecoder
    }

    /// Of the containers just the count of their references is looked at, and their decoders are only let go of when
    /// nobody can use them any more.
    private struct State: @unchecked Sendable {  // only touched under the lock
        var entries: [Entry] = []
        var keys: Set<ObjectIdentifier> = []
    }

    private static let state = Mutex(State())
    private static let hasKeys = Atomic(false)
    private static let hasEntries = Atomic(false)

    /// Whether containers of this type of keys were kept before, so that they must own their decoders.
    static func isKept(_ key: ObjectIdentifier) -> Bool {
        hasKeys.load(ordering: .acquiring) && state.withLock { $0.keys.contains(key) }
    }

    static func add(_ container: JsonLentContainers.Reference, of decoder: JsonValueDecoder, _ key: ObjectIdentifier) {
        let added = State(entries: [Entry(container: container, decoder: decoder)], keys: [key])
        state.withLock {
            $0.entries += added.entries
            $0.keys.formUnion(added.keys)
            hasEntries.store(true, ordering: .releasing)
        }
        hasKeys.store(true, ordering: .releasing)
    }

    /// Lets go of what nobody else has.
    @inline(__always)
    static func sweep() {
        if hasEntries.load(ordering: .relaxed) { sweepEntries() }
    }

    @inline(never)
    private static func sweepEntries() {
        // What is let go of ends after unlocking: it may be the user's.
        _ = state.withLock { state in
            var free = State()
            for index in state.entries.indices.reversed()
            where isKnownUniquelyReferenced(&state.entries[index].container) {
                free.entries.append(state.entries.remove(at: index))
            }
            if state.entries.isEmpty { hasEntries.store(false, ordering: .relaxed) }
            return free
        }
    }
}
