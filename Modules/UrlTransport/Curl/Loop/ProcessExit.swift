#if os(Linux)
import Glibc
import Synchronization

/// Stops the threads of all loops when the process ends by `exit`, or at the end of its main file.
///
/// Handlers of `exit` take libraries apart while other threads still run: OpenSSL frees what a loop's thread may be using,
/// as it does when the last sender has just gone and its connections are being closed. So before that each thread is
/// stopped between two turns, for good.
enum ProcessExit {
    /// How long the end waits for turns: what a user does in one may take long, or wait for the thread that ends.
    private static let longestWait = Duration.seconds(1)

    private static let coming = Atomic(false)
    /// How many threads are in the middle of a turn.
    private static let turns = Atomic(0)

    /// Where a loop's thread has something, and what ends its last turn: other libraries' destructors are called with this
    /// one, OpenSSL's too. It is called three times, and all others have been by the third.
    private static let mark: pthread_key_t? = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { value in
            let round = Int(bitPattern: value)
            if round < 3, ProcessExit.set(round + 1) { return }
            ProcessExit.endTurn()
        }
        return result == 0 ? key : nil
    }()

    /// libcurl has to be set up before: the handlers of its libraries are called after this one then.
    private static let isWatched = atexit { ProcessExit.stopTurns() } == 0

    /// Begins to watch, once.
    static func watch() {
        _ = isWatched
    }

    /// Whether the process ends. No loop's thread begins anything any more, so that nobody may wait for one.
    static var isComing: Bool { coming.load(ordering: .relaxed) }

    /// The thread that calls this is a loop's from now on, and in a turn.
    static func beginThread() {
        beginTurn()
        // Without a mark the end of the process waits for as long as it may.
        _ = set(1)
    }

    /// Stops a thread in the middle of its turn if the process ends: after what a user did there, which may have taken
    /// longer than the end waits.
    static func stopHere() {
        if isComing { stop() }
    }

    /// Runs what a loop's thread waits in, which uses nothing that the end of the process takes apart.
    static func wait<Result>(_ body: () -> Result) -> Result {
        endTurn()
        defer { beginTurn() }
        return body()
    }

    /// A child process has the thread that forked it, and no other.
    static func forgetOtherThreads() {
        turns.store(isOnLoop ? 1 : 0, ordering: .relaxed)
        coming.store(false, ordering: .relaxed)
    }

    private static func beginTurn() {
        turns.add(1, ordering: .sequentiallyConsistent)
        if coming.load(ordering: .sequentiallyConsistent) { stop() }
    }

    private static func endTurn() {
        turns.subtract(1, ordering: .sequentiallyConsistent)
    }

    private static func stop() -> Never {
        endTurn()
        while true { pause() }
    }

    private static func stopTurns() {
        coming.store(true, ordering: .sequentiallyConsistent)
        // Whoever ends the process in a listener is in a turn that never goes on.
        let own = isOnLoop ? 1 : 0
        let deadline = ContinuousClock.now + longestWait
        while turns.load(ordering: .sequentiallyConsistent) > own, .now < deadline { usleep(100) }
    }

    /// Whether this thread is a loop's.
    static var isOnLoop: Bool {
        mark.map { pthread_getspecific($0) != nil } ?? false
    }

    private static func set(_ round: Int) -> Bool {
        mark.map { pthread_setspecific($0, UnsafeRawPointer(bitPattern: round)) == 0 } ?? false
    }
}
#endif
