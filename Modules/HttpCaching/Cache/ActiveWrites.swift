import NodeCore
import Synchronization

/// The requests in progress whose responses may be stored. A response that is invalidated meanwhile isn't kept. May be
/// used from any thread.
final class ActiveWrites: Sendable {
    fileprivate final class Write: Sendable {
        struct State {
            /// nil until the head of the response has arrived.
            var entry: HttpCacheEntry?
            var isInvalid = false
            /// Whether anything was invalidated before the head arrived. A redirect may have led to its URL.
            var isRedirectInvalid = false
        }

        let key: HttpCacheKey
        let state = Mutex(State())

        init(_ key: HttpCacheKey) {
            self.key = key
        }
    }

    private let writes = Mutex<[ObjectIdentifier: Write]>([:])

    /// Registers a request. It is in progress as long as the result is referenced.
    func begin(_ key: HttpCacheKey) -> ActiveWrite {
        let write = Write(key)
        writes.withLock { $0[ObjectIdentifier(write)] = write }
        return ActiveWrite(self, write)
    }

    fileprivate func end(_ write: Write) {
        writes.taking { $0.removeValue(forKey: ObjectIdentifier(write)) }
    }

    /// Invalidates what the closure selects: by the key of the request, and by the response, also one whose head arrives
    /// later.
    ///
    /// - Parameter own: a request that isn't invalidated.
    func invalidate(
        except own: ActiveWrite? = nil, where isSelected: (HttpCacheKey, HttpCacheEntry?) -> Bool
    ) {
        // The closure is called without the lock.
        for write in writes.withLock({ Array($0.values) }) where write !== own?.write {
            let entry = write.state.withLock { state in
                if state.entry == nil { state.isRedirectInvalid = true }
                return state.entry
            }
            if isSelected(entry?.key ?? write.key, entry) { write.state.withLock { $0.isInvalid = true } }
        }
    }
}

/// One request in progress.
final class ActiveWrite: Sendable {
    private let writes: ActiveWrites
    fileprivate let write: ActiveWrites.Write

    fileprivate init(_ writes: ActiveWrites, _ write: ActiveWrites.Write) {
        self.writes = writes
        self.write = write
    }

    deinit {
        writes.end(write)
    }

    /// Whether nothing has invalidated the response.
    var isValid: Bool { write.state.withLock { !$0.isInvalid } }

    /// Records the response. Returns whether it is valid.
    func name(_ entry: HttpCacheEntry) -> Bool {
        write.state.withLock { state in
            // What is invalidated from now on is compared with the entry.
            state.entry = entry
            if state.isRedirectInvalid, entry.key.url != write.key.url { state.isInvalid = true }
            return !state.isInvalid
        }
    }
}
