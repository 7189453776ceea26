import Synchronization

/// What became of each request. A request ends once: never twice, never not at all.
final class Tally: Sendable {
    private struct State {
        /// How often each request ended, by its number.
        var ends: [UInt8] = []
        var answered = 0
        var canceled = 0
        var failed: [String: Int] = [:]
        var faults: [Fault: Int] = [:]
        /// POSTs whose connection the server closed when they were sent (``Fault/dropped`` says nothing before it closes).
        /// They are not sent again, because the server may have received them.
        var lostPosts = 0
        var refreshes = 0
        /// What must not be, the first of it in words.
        var wrong = 0
        var complaints: [String] = []

        mutating func complain(_ text: String) {
            wrong += 1
            if complaints.count < 20 { complaints.append(text) }
        }
    }

    private let state = Mutex(State())
    private let clockJumps: Bool

    /// - Parameter clockJumps: whether the wall clock jumps. Then a `Retry-After` that is a date may be hours away, and its
    ///   request isn't sent again.
    init(clockJumps: Bool) {
        self.clockJumps = clockJumps
    }

    /// The number of a new request.
    func begin(_ draw: (Int) -> Fault) -> (id: Int, fault: Fault) {
        state.withLock { state in
            let id = state.ends.count
            let fault = draw(id)
            state.ends.append(0)
            state.faults[fault, default: 0] += 1
            return (id, fault)
        }
    }

    /// How many refreshes of a token have begun.
    var refreshes: Int { state.withLock { $0.refreshes } }

    func refreshed() {
        state.withLock { $0.refreshes += 1 }
    }

    /// A callback has reported the end of a request.
    func ended(_ id: Int) {
        state.withLock { $0.ends[id] += 1 }
    }

    func answered(_ id: Int, _ fault: Fault, isRight: Bool) {
        state.withLock { state in
            state.answered += 1
            if !fault.mayBeAnswered || !isRight {
                state.complain("request \(id) (\(fault)) got \(isRight ? "an answer" : "the answer of another")")
            }
        }
    }

    func failed(_ id: Int, _ fault: Fault, _ kind: String) {
        state.withLock { state in
            state.failed[kind, default: 0] += 1
            let isFarAway = clockJumps && fault == .busy && kind == "status 503"
            if fault.isPost, kind == "connectionLost" {
                state.lostPosts += 1
            } else if !fault.errors.contains(kind), !isFarAway {
                state.complain("request \(id) (\(fault)) failed with \(kind)")
            }
        }
    }

    func canceled(_ id: Int, _ fault: Fault, wasAsked: Bool) {
        state.withLock { state in
            state.canceled += 1
            if !wasAsked { state.complain("request \(id) (\(fault)) was canceled by nobody") }
        }
    }

    /// Prints the counts; whether all is as it must be.
    func report() -> Bool {
        state.withLock { state in
            let lost = state.ends.count { $0 == 0 }
            let twice = state.ends.count { $0 > 1 }
            let failed = state.failed.values.reduce(0, +)
            print("sent      \(state.ends.count)")
            print("answered  \(state.answered)")
            print("failed    \(failed)")
            for (kind, count) in state.failed.sorted(by: { $0.key < $1.key }) { print("            \(count) \(kind)") }
            print("canceled  \(state.canceled)")
            print("lost      \(lost)")
            print("twice     \(twice)")
            print("wrong     \(state.wrong)")
            for complaint in state.complaints { print("            \(complaint)") }
            let faults = state.faults.sorted { $0.key.rawValue < $1.key.rawValue }
            print("met       \(faults.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
            let isComplete = state.answered + failed + state.canceled == state.ends.count
            let posts = state.faults.reduce(0) { $1.key.isPost ? $0 + $1.value : $0 }
            let most = 2 + posts / 2000
            print("POSTs     \(state.lostPosts) of \(posts) met the close of their connection, at most \(most)")
            let isRare = state.lostPosts <= most
            return lost == 0 && twice == 0 && state.wrong == 0 && isRare && isComplete && state.answered > 0
        }
    }
}
