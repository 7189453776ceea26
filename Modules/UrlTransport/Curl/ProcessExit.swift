#if os(Linux)
import Glibc
import NodeCore
import Synchronization

/// Stops the threads of all loops when the process ends by `exit`, or at the end of its main file.
///
/// Handlers of `exit` take libraries apart while other threads still run: OpenSSL frees what a loop's thread may be using,
/// as it does when the last sender has just gone and its connections are being closed. So before that each thread is
/// stopped between two turns, for good.
enum ProcessExit {
    /// How long the end waits for turns: what a user does in one may take long, or wait for the thread that ends.
    private static let longestWait = Duration.seconds(1)

    private static let isComing = Atomic(false)
    /// How many threads are in the middle of a turn.
    private static let turns = Atomic(0)
    /// Something on a loop's thread.
    private static let loop = ThreadValue()

    /// libcurl has to be set up before: the handlers of its libraries are called after this one then.
    private static let isWatched = atexit { ProcessExit.stopTurns() } == 0

    /// Begins to watch, once.
    static func watch() {
        _ = isWatched
    }

    /// A child process has none of its parent's threads.
    static func forgetTurns() {
        turns.store(0, ordering: .relaxed)
    }

    /// Runs all that a loop's thread does.
    static func runLoop(_ body: () -> Void) {
        beginTurn()
        defer { endTurn() }
        loop.with(UnsafeMutableRawPointer(bitPattern: 1), body)
    }

    /// Runs what a loop's thread waits in, which uses nothing of libcurl's that the process's end takes apart.
    static func wait<Result>(_ body: () -> Result) -> Result {
        endTurn()
        defer { beginTurn() }
        return body()
    }

    private static func beginTurn() {
        turns.add(1, ordering: .sequentiallyConsistent)
        guard isComing.load(ordering: .sequentiallyConsistent) else { return }
        endTurn()
        while true { pause() }
    }

    private static func endTurn() {
        turns.subtract(1, ordering: .sequentiallyConsistent)
    }

    private static func stopTurns() {
        isComing.store(true, ordering: .sequentiallyConsistent)
        // Whoever ends the process in a listener is in a turn that never goes on.
        let own = loop.pointer == nil ? 0 : 1
        let deadline = ContinuousClock.now + longestWait
        while turns.load(ordering: .sequentiallyConsistent) > own, .now < deadline { usleep(100) }
    }
}
#endif
