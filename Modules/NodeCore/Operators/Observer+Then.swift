extension Observer {
    /// Goes on with what `body` gives for the end of this work, whichever end it is: the operator that the others are
    /// made of.
    ///
    /// `body` runs once, on the thread that settles this observer, and not at all when the result was canceled before.
    /// A cancel of the result reaches whichever of the two is under way.
    @inlinable
    public func then<Other>(
        _ body: @escaping @Sendable (Outcome<Value>) -> Observer<Other>
    ) -> Observer<Other> {
        switch state {
        case .settled(let outcome):
            return body(outcome)
        case .pending(let pending):
            let result = ThenPending(after: pending, body: body)
            pending.add(.receiver(result))
            return Observer<Other>(pending: result)
        }
    }
}

/// What stands between two pending observers: one object for each operator.
@usableFromInline
final class ThenPending<Input: Sendable, Value: Sendable>: Pending<Value>, Receiver, @unchecked Sendable {  // let only
    private let body: @Sendable (Outcome<Input>) -> Observer<Value>

    @usableFromInline
    init(after upstream: Pending<Input>, body: @escaping @Sendable (Outcome<Input>) -> Observer<Value>) {
        self.body = body
        super.init(journal: upstream.journal)
        attach(upstream: upstream)
    }

    @usableFromInline
    func receive(_ outcome: Outcome<Input>) {
        guard self.outcome == nil else { return }
        follow(Journal.run(under: journal) { body(outcome) })
    }
}
