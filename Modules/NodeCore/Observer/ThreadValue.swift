#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A pointer of which each thread has its own, nil at first.
struct ThreadValue: Sendable {
    /// nil when the system has no room for another one.
    private let key: pthread_key_t?

    init() {
        var key = pthread_key_t()
        self.key = pthread_key_create(&key, nil) == 0 ? key : nil
    }

    var pointer: UnsafeMutableRawPointer? {
        key.flatMap { pthread_getspecific($0) }
    }

    /// Runs `body` while this thread's pointer is `pointer`; where the system has no room, as if that were nil.
    func with<Result>(_ pointer: UnsafeMutableRawPointer?, _ body: () throws -> Result) rethrows -> Result {
        guard let key else { return try body() }
        let earlier = pthread_getspecific(key)
        guard pthread_setspecific(key, pointer) == 0 else { return try body() }
        defer { pthread_setspecific(key, earlier) }
        return try body()
    }
}
