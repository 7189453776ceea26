extension Observer {
    /// Hands this observer to `body` on the spot and returns it: a look at it in the middle of a call chain.
    @discardableResult
    @inlinable
    public func process(_ body: (Observer<Value>) throws -> Void) rethrows -> Observer<Value> {
        try body(self)
        return self
    }
}
