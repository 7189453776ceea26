#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The tasks whose values come on one thread in one turn, woken together at its end.
///
/// A thread that brings many values would else wake another thread for each: that one takes the processor from it, and
/// sleeps again before the next value has come. What listens in place is called at once, as always.
///
/// Used by one thread.
package final class TaskWakeUps {
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Where a thread has those that it gathers.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    package init() {}

    /// Runs `body`, and wakes the tasks whose values came on this thread within it.
    package func gather<Result>(_ body: () -> Result) -> Result {
        guard let key = Self.key, pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque()) == 0
        else { return body() }
        defer {
            pthread_setspecific(key, nil)
            for task in waiting { task.resume() }
            waiting.removeAll(keepingCapacity: waiting.capacity < 1024)
        }
        return body()
    }

    /// Wakes `task`: at once, or together with others where this thread gathers them.
    static func wake(_ task: UnsafeContinuation<Void, Never>) {
        guard let key, let own = pthread_getspecific(key) else { return task.resume() }
        Unmanaged<TaskWakeUps>.fromOpaque(own).takeUnretainedValue().waiting.append(task)
    }
}
#endif
