/// A struct's members behind one reference, copied when they are changed while others hold them too.
///
/// A request and its answer are passed on from node to node far more often than they are changed, and each copy of a
/// struct of ten members would count ten references.
struct CopyOnWrite<Members: Sendable>: Sendable {
    private final class Storage: @unchecked Sendable {  // changed only by who holds it alone
        @exclusivity(unchecked) var members: Members

        init(_ members: Members) {
            self.members = members
        }
    }

    private var storage: Storage

    init(_ members: Members) {
        storage = Storage(members)
    }

    /// Changes several members at a time.
    mutating func change(_ body: (inout Members) -> Void) {
        body(&members)
    }

    var members: Members {
        _read { yield storage.members }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.members) }
            yield &storage.members
        }
    }
}
