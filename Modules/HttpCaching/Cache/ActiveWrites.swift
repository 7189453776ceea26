import NodeCore
import Synchronization

/// The requests in progress whose responses may be stored. A response that is invalidated meanwhile isn't kept. May be
/// used from any thread.
final class ActiveWrites: Sendable {
    fileprivate struct Write {
        let key: HttpCacheKey
        /// nil until the head of the response has arrived.
        var entry: HttpCacheEntry?
        var isInvalid = false
    }

    private struct State {
        var lastId = 0
        var writes: [Int: Write] = [:]
    }

    private let state = Mutex(State())

    /// Registers a request. It is in progress as long as the result is referenced.
    func begin(_ key: HttpCacheKey) -> ActiveWrite {
        let id = state.withLock { state in
            state.lastId += 1
            state.writes[state.lastId] = Write(key: key)
            return state.lastId
        }
        return ActiveWrite(self, id)
    }

    fileprivate func isValid(_ id: Int) -> Bool {
        state.withLock { $0.writes[id].map { !$0.isInvalid } ?? false }
    }

    fileprivate func name(_ id: Int, _ entry: HttpCacheEntry) -> Bool {
        state.taking { state -> (Bool, HttpCacheEntry?) in
            let old = state.writes[id]?.entry
            state.writes[id]?.entry = entry
            return (state.writes[id].map { !$0.isInvalid } ?? false, old)
        }.0
    }

    fileprivate func end(_ id: Int) {
        state.taking { $0.writes.removeValue(forKey: id)?.entry }
    }

    /// Invalidates what the closure selects, by the key of the request, and by the response where its head has arrived.
    func invalidate(where isSelected: (HttpCacheKey, HttpCacheEntry?) -> Bool) {
        // The closure is called without the lock.
        let writes = state.withLock { $0.writes }
        let ids = writes.filter { isSelected($0.value.entry?.key ?? $0.value.key, $0.value.entry) }.map(\.key)
        state.withLock { state in
            for id in ids { state.writes[id]?.isInvalid = true }
        }
    }
}

/// One request in progress.
final class ActiveWrite: Sendable {
    private let writes: ActiveWrites
    private let id: Int

    fileprivate init(_ writes: ActiveWrites, _ id: Int) {
        self.writes = writes
        self.id = id
    }

    deinit {
        writes.end(id)
    }

    /// Whether nothing has invalidated the response.
    var isValid: Bool { writes.isValid(id) }

    /// Records the response. Returns whether it is valid.
    func name(_ entry: HttpCacheEntry) -> Bool { writes.name(id, entry) }
}
