#if os(Linux)
import Glibc
import Synchronization

/// Counts the forks between the program's start and this process: a child has none of its parent's threads, so what
/// belongs to one of them is of no use there.
enum Forks {
    private static let counter = Atomic(0)

    /// Begins to count, once. Forks before that don't matter: nobody has got a number yet.
    private static let isCounting = pthread_atfork(nil, nil) { Forks.counter.add(1, ordering: .relaxed) } == 0

    /// The number for something new.
    static func begin() -> Int {
        _ = isCounting
        return count
    }

    /// The number now.
    static var count: Int { counter.load(ordering: .relaxed) }
}
#endif
