/// The state machine of a ``RateLimit``. It has no side effects: an event changes it and returns what the caller does
/// after unlocking. Times are durations since a time of the caller's choice.
///
/// Where requests wait, one timer is set for the next token; a number identifies it, since a timer that is replaced may
/// fire all the same.
struct RateGate<Waiter: Sendable>: Sendable {
    /// What a request does that has no token yet.
    enum Verdict: Equatable, Sendable {
        /// It has a token.
        case go
        /// It waits under this id.
        case wait(id: Int)
        /// It fails: as many wait as may wait.
        case full(waiting: Int)
    }

    /// What the caller does with its timer.
    enum TimerAction: Equatable, Sendable {
        case keep
        /// The timer of this number replaces the one that is set.
        case set(number: Int, after: Duration)
        case cancel
    }

    /// What the caller does after an event.
    struct Actions: Sendable {
        /// Those that have a token now, in this order.
        var admitted: [Waiter] = []
        var timer = TimerAction.keep
    }

    private var bucket: TokenBucket
    private let capacity: Int
    private var queue = WaitingQueue<Waiter>()
    private var timer: (number: Int, end: Duration)?
    private var lastNumber = 0

    /// - Parameters:
    ///   - bucket: the tokens.
    ///   - capacity: how many may wait.
    init(_ bucket: TokenBucket, capacity: Int) {
        self.bucket = bucket
        self.capacity = capacity
    }

    /// How many wait.
    var waiting: Int { queue.count }

    /// Whether the timer of this number is set.
    func isSet(timer number: Int) -> Bool { timer?.number == number }

    /// Takes a token, if there is one and nothing waits for it.
    mutating func takeAtOnce(at now: Duration) -> Bool {
        queue.isEmpty && bucket.take(at: now)
    }

    /// Takes a token, or a place in the queue.
    mutating func arrive(
        _ waiter: Waiter, priority: TaskPriority, at now: Duration
    ) -> (verdict: Verdict, actions: Actions) {
        if takeAtOnce(at: now) { return (.go, Actions()) }
        guard queue.count < capacity else { return (.full(waiting: queue.count), Actions()) }
        let id = queue.add(waiter, priority: priority)
        return (.wait(id: id), Actions(timer: timerAction(at: now)))
    }

    /// Removes a waiter that was canceled; nil where it has left the queue.
    mutating func cancel(_ id: Int) -> (waiter: Waiter?, actions: Actions) {
        let waiter = queue.remove(id)
        guard queue.isEmpty, timer != nil else { return (waiter, Actions()) }
        timer = nil
        return (waiter, Actions(timer: .cancel))
    }

    /// Admits those that there are tokens for, when the timer of this number fires.
    mutating func fire(timer number: Int, at now: Duration) -> Actions {
        guard isSet(timer: number) else { return Actions() }
        timer = nil
        return admit(at: now)
    }

    /// Returns the token of a waiter that was canceled after it had left the queue.
    mutating func giveBack(at now: Duration) -> Actions {
        bucket.giveBack()
        return admit(at: now)
    }

    /// Admits none before `end`.
    mutating func pause(until end: Duration) {
        // A timer that is set fires too early, and then the next one is set.
        bucket.pause(until: end)
    }

    private mutating func admit(at now: Duration) -> Actions {
        var actions = Actions()
        while !queue.isEmpty, bucket.take(at: now) {
            if let waiter = queue.removeFirst() { actions.admitted.append(waiter) }
        }
        actions.timer = timerAction(at: now)
        return actions
    }

    private mutating func timerAction(at now: Duration) -> TimerAction {
        guard !queue.isEmpty else {
            defer { timer = nil }
            return timer == nil ? .keep : .cancel
        }
        let end = bucket.nextToken(after: now)
        if let timer, timer.end <= end { return .keep }
        lastNumber += 1
        timer = (lastNumber, end)
        return .set(number: lastNumber, after: end - now)
    }
}
