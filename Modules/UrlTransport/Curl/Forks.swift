#if os(Linux)
import Glibc
import Synchronization

/// Counts the forks that led to this process, from the first question on: a child has another number than its parent. It
/// has none of its parent's threads, so what belongs to one of them is of no use there.
package enum Forks {
    private static let counter = Atomic(0)

    /// Begins to count, once. Forks before that don't matter: nobody has got a number yet.
    private static let isCounting =
        pthread_atfork(nil, nil) {
            Forks.counter.add(1, ordering: .relaxed)
            ProcessExit.forgetOtherThreads()
        } == 0

    /// The number for something new. Where the system has no memory to count with, it stays 0, and what is inherited
    /// passes for one's own.
    package static func begin() -> Int {
        _ = isCounting
        return count
    }

    /// The number now.
    package static var count: Int { counter.load(ordering: .relaxed) }
}
#endif
