import NodeCore
import Synchronization

/// What is written to a store after the response was returned, so that a request doesn't wait for a disk. May be used
/// from any thread.
///
/// Those for one URL run one after the other. A lookup waits for those of its URL, so that the next request finds what
/// the last one has stored.
///
/// They begin after a delay (write-behind), and run one after the other: a write in between wakes threads, and takes the
/// processor from the requests of a burst, such as those at the start of an application. Waiting for writes begins them.
final class BackgroundWrites: Sendable {
    /// The time from the first write that waits to their beginning.
    static let delay = Duration.milliseconds(50)
    /// The most bytes in memory that wait for the store: the bodies, and 4 KiB for the rest of each. A request that
    /// exceeds it waits for its own write, which keeps a slow disk from filling the memory.
    private static let mostBytes = 16 << 20
    private static let bytesOfEntry = 4096

    private typealias Body = @Sendable () async -> Void

    /// The writes of one URL.
    private struct Writes: Sendable {
        /// Those that have not begun.
        var waiting: [Body] = []
        /// The size of these in bytes.
        var bytes = 0
        /// Runs those that have begun.
        var task: Task<Void, Never>?
        /// How many tasks have begun.
        var begun = 0
    }

    private struct State {
        var bytes = 0
        var writes: [String: Writes] = [:]
        /// Whether those that wait begin after the delay.
        var isScheduled = false
    }

    private let clock: any ChainClock
    private let state = Mutex(State())

    init(_ clock: any ChainClock) {
        self.clock = clock
    }

    /// Runs `write` in another task, after the delay. Waits for it only if too many bytes wait for the store.
    ///
    /// - Parameter bytes: the size of the body that `write` has in memory.
    func run(for url: String, bytes: Int, _ write: @escaping @Sendable () async -> Void) async {
        let cost = bytes + Self.bytesOfEntry
        let (isBeyond, isFirst) = state.withLock { state in
            state.bytes += cost
            state.writes[url, default: Writes()].waiting.append(write)
            state.writes[url]?.bytes += cost
            defer { state.isScheduled = true }
            return (state.bytes > Self.mostBytes, !state.isScheduled)
        }
        if isFirst { schedule() }
        guard isBeyond else { return }
        _ = begin()
        await wait(for: url)
    }

    private func schedule() {
        clock.wait(for: Self.delay).onCompleted { [self] in
            Task.detached { [self] in await runScheduled() }
        }
    }

    private func runScheduled() async {
        for url in state.withLock({ Array($0.writes.keys) }) { await wait(for: url) }
        let isAgain = state.withLock { state in
            state.isScheduled = state.writes.values.contains { !$0.waiting.isEmpty }
            return state.isScheduled
        }
        if isAgain { schedule() }
    }

    /// Begins all writes. Returns the tasks of those that are not completed.
    private func begin() -> [Task<Void, Never>] {
        state.withLock { Array($0.writes.keys) }.compactMap { begin($0) }
    }

    /// Begins the writes of a URL. Returns the task that completes them; nil if there are none.
    private func begin(_ url: String) -> Task<Void, Never>? {
        state.taking { state in
            guard var writes = state.writes.removeValue(forKey: url) else { return nil }
            if !writes.waiting.isEmpty {
                let (bodies, bytes, previous) = (writes.waiting, writes.bytes, writes.task)
                writes.begun += 1
                // Creating a task doesn't run it. It has no part in the run of a request, whose journal may be closed.
                writes.task = Task.detached { [self, begun = writes.begun] in
                    await previous?.value
                    for body in bodies { await body() }
                    end(url, begun, bytes)
                }
                (writes.waiting, writes.bytes) = ([], 0)
            }
            state.writes[url] = writes
            return writes.task
        }
    }

    private func end(_ url: String, _ begun: Int, _ bytes: Int) {
        state.taking { state -> Writes? in
            state.bytes -= bytes
            guard let writes = state.writes[url], writes.begun == begun else { return nil }
            state.writes[url]?.task = nil
            return writes.waiting.isEmpty ? state.writes.removeValue(forKey: url) : nil
        }
    }

    /// Waits for the writes of a URL.
    func wait(for url: String) async {
        if let task = begin(url) { await task.value }
    }

    /// Waits for all writes.
    func wait() async {
        for task in begin() { await task.value }
    }
}
