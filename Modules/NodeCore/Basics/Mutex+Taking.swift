public import Synchronization

extension Mutex where Value: ~Copyable {
    /// Changes the value, and returns what `body` takes out of it, which is released after unlocking.
    ///
    /// An object that an application created may use the same mutex in its deinitializer, and a mutex can't be locked
    /// twice. With `withLock` an optimized build may release a result, or a part of it, that the caller doesn't use
    /// before it unlocks.
    @discardableResult
    @inlinable
    package borrowing func taking<Taken: Sendable>(_ body: (inout sending Value) -> sending Taken) -> Taken {
        let taken = withLock(body)
        withExtendedLifetime(taken) {}
        return taken
    }
}
