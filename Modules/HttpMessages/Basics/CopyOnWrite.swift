/// Stores a struct's members behind one reference, with copy-on-write.
///
/// Nodes pass requests and responses on far more often than they change them. A copy of a plain struct of ten members
/// would retain up to ten references.
struct CopyOnWrite<Members: Sendable>: Sendable {
    private final class Storage: @unchecked Sendable {  // mutated only while uniquely referenced
        @exclusivity(unchecked) var members: Members

        init(_ members: Members) {
            self.members = members
        }
    }

    private var storage: Storage

    init(_ members: Members) {
        storage = Storage(members)
    }

    var members: Members {
        _read { yield storage.members }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.members) }
            yield &storage.members
        }
    }
}
