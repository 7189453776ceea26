import Synchronization

/// A `Mutex` whose order Thread Sanitizer can see.
///
/// On Linux the contended path of `Mutex` is inside the library, which is not instrumented: the sanitizer misses that
/// one holder follows the other and reports what the mutex protects as a race. The atomic here repeats the mutex's own
/// order, nothing more, in code that is instrumented: a release before every unlock, an acquire after every lock.
struct VisibleMutex<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let turn = Atomic<UInt>(0)

    init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        mutex.withLock { value in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(0, ordering: .releasing) }
            return body(&value)
        }
    }
}
