extension Observer {
    /// Calls `body` with this observer at once and returns the observer: for inspection within a call chain.
    @discardableResult
    public func process(_ body: (Observer<Value>) throws -> Void) rethrows -> Observer<Value> {
        try body(self)
        return self
    }
}
