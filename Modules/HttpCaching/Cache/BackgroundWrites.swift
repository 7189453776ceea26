import NodeCore
import Synchronization

/// What is written to a store after the response was returned, so that a request doesn't wait for a disk. May be used
/// from any thread.
///
/// Those for one URL run one after the other. A lookup waits for those of its URL, so that the next request finds what
/// the last one has stored.
final class BackgroundWrites: Sendable {
    /// The most bytes in memory that wait for the store: the bodies, and 4 KiB for the rest of each. A request that
    /// exceeds it waits for its own write, which keeps a slow disk from filling the memory.
    private static let mostBytes = 16 << 20
    private static let bytesOfEntry = 4096

    private struct Write: Sendable {
        let id: Int
        let task: Task<Void, Never>
    }

    private struct State {
        var lastId = 0
        var bytes = 0
        /// The last write for each URL.
        var writes: [String: Write] = [:]
    }

    private let state = Mutex(State())

    /// Runs `write` in a dedicated task. Waits for it only if too many bytes wait for the store.
    ///
    /// - Parameter bytes: the size of the body that `write` has in memory.
    func run(for url: String, bytes: Int, _ write: @escaping @Sendable () async -> Void) async {
        let cost = bytes + Self.bytesOfEntry
        let (task, isBeyond) = state.taking { state -> (Task<Void, Never>, Bool) in
            state.lastId += 1
            state.bytes += cost
            let (id, previous) = (state.lastId, state.writes[url]?.task)
            // Creating a task doesn't run it. It has no part in the run of the request, whose journal may be closed.
            let task = Task.detached { [self] in
                await previous?.value
                await write()
                end(url, id, cost)
            }
            state.writes[url] = Write(id: id, task: task)
            return (task, state.bytes > Self.mostBytes)
        }
        if isBeyond { await task.value }
    }

    private func end(_ url: String, _ id: Int, _ cost: Int) {
        state.taking { state -> Write? in
            state.bytes -= cost
            return state.writes[url]?.id == id ? state.writes.removeValue(forKey: url) : nil
        }
    }

    /// Waits for the writes of a URL that have begun.
    func wait(for url: String) async {
        if let task = state.withLock({ $0.writes[url]?.task }) { await task.value }
    }

    /// Waits for all writes that have begun.
    func wait() async {
        for write in state.withLock({ Array($0.writes.values) }) { await write.task.value }
    }
}
