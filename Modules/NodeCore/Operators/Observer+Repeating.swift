import Synchronization

extension Observer {
    /// Starts `work` repeatedly, until it completes with a value that `isLast` accepts: polling.
    ///
    /// ```swift
    /// let report = Observer.repeating(delay: .seconds(2), until: { $0.isReady }) { _ in
    ///     reportChain.process(id)
    /// }
    /// ```
    ///
    /// - The result completes with that value, fails with the error that `work` fails with or that a closure throws,
    ///   and is canceled when `work` is.
    /// - A cancel of the result cancels the work or the delay in progress. `work` isn't called after it.
    /// - Stack and memory are constant, however many rounds there are.
    ///
    /// - Parameters:
    ///   - delay: the time between the end of a round and the start of the next one.
    ///   - isLast: whether the result completes with this value.
    ///   - clock: the source of time for the delay.
    ///   - work: starts a round. It gets the number of the round, from 1.
    public static func repeating(
        delay: Duration = .zero, until isLast: @escaping @Sendable (Value) throws -> Bool,
        clock: any ChainClock = .system,
        _ work: @escaping @Sendable (_ round: Int) throws -> Observer<Value>
    ) -> Observer<Value> {
        repeating(work) { outcome, _ in
            guard case .completed(let value) = outcome, try !isLast(value) else { return nil }
            return delay > .zero ? clock.wait(for: delay) : .emit()
        }
    }

    /// Starts `work` repeatedly, as long as `pause` returns an observer for the outcome of a round: the next round
    /// starts when that completes. nil ends the result as the round has ended.
    package static func repeating(
        _ work: @escaping @Sendable (_ round: Int) throws -> Observer<Value>,
        pause: @escaping @Sendable (_ ending: Outcome<Value>, _ round: Int) throws -> Observer<Void>?
    ) -> Observer<Value> {
        let loop = Loop(work, pause)
        loop.run(from: .start)
        return loop.context.observer
    }
}

/// The rounds of repeated work. A round that ends while it is being started is continued by the loop that started it,
/// not within its own listener: so the stack doesn't grow.
private final class Loop<Value: Sendable>: Sendable {
    enum Event: Sendable {
        case start
        case roundEnded(Outcome<Value>)
        case pauseEnded(Outcome<Void>)
    }

    private enum Place {
        /// The observer of the next event is being listened to.
        case starting
        /// The observer ended meanwhile.
        case ended(Event)
        case waiting
    }

    private struct State {
        var round = 0
        var place = Place.waiting
    }

    let context = Context<Value>()
    private let state = Mutex(State())
    private let work: @Sendable (Int) throws -> Observer<Value>
    private let pause: @Sendable (Outcome<Value>, Int) throws -> Observer<Void>?

    init(
        _ work: @escaping @Sendable (Int) throws -> Observer<Value>,
        _ pause: @escaping @Sendable (Outcome<Value>, Int) throws -> Observer<Void>?
    ) {
        self.work = work
        self.pause = pause
    }

    /// Runs until the next event is pending.
    func run(from event: Event) {
        var next: Event? = event
        while let event = next, !context.isSettled {
            do { next = try take(event) } catch { context.emit(error: error) }
        }
    }

    /// Returns the next event, if it has happened already.
    private func take(_ event: Event) throws -> Event? {
        switch event {
        case .start:
            let round = state.withLock { state in
                state.round += 1
                return state.round
            }
            // As a part of the chain run that the result belongs to.
            let observer = try context.pending.within { try work(round) }
            return self.event(of: observer) { .roundEnded($0) }
        case .roundEnded(let outcome):
            let round = state.withLock { $0.round }
            if let observer = try context.pending.within({ try pause(outcome, round) }) {
                return self.event(of: observer) { .pauseEnded($0) }
            }
            context.settle(outcome)
        case .pauseEnded(.completed): return .start
        case .pauseEnded(.failed(let error)): context.emit(error: error)
        case .pauseEnded(.canceled): context.cancel()
        }
        return nil
    }

    /// The event that `observer` ends with, if it has ended; else the loop is resumed when it does.
    private func event<Other>(
        of observer: Observer<Other>, _ event: @escaping @Sendable (Outcome<Other>) -> Event
    ) -> Event? {
        if let outcome = observer.outcome { return event(outcome) }
        state.withLock { $0.place = .starting }
        context.cancelReaches(observer)
        observer.onSettled { [self] outcome in
            let event = event(outcome)
            let isWaitedFor = state.withLock { state in
                if case .waiting = state.place { return true }
                state.place = .ended(event)
                return false
            }
            if isWaitedFor { run(from: event) }
        }
        return state.withLock { state in
            defer { state.place = .waiting }
            return if case .ended(let event) = state.place { event } else { nil }
        }
    }
}

extension Context {
    /// Makes a cancel of this context's observer reach `observer` too.
    fileprivate func cancelReaches<Other>(_ observer: Observer<Other>) {
        if case .pending(let pending) = observer.state { self.pending.attach(upstream: pending) }
    }
}
