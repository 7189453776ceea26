import Dispatch
import NodeCore
import Synchronization
import Testing

/// A server that answers from several threads: the request's own and a queue's.
final class ThreadedServer: Sendable {
    /// The oldest token that the server accepts, and the one that requests are sent with.
    let valid = Atomic(2)
    let token = Atomic(1)
    /// What the server has counted.
    let sent = Atomic(0)
    let refreshes = Atomic(0)
    let late = Atomic(0)
    let sentDuringRefresh = Atomic(0)
    private let running = Atomic(0)
    private let queue = DispatchQueue(label: "server", attributes: .concurrent)
    private let held = Mutex<[@Sendable () -> Void]>([])
    private let crowd: Mutex<(missing: Int, answers: [@Sendable () -> Void])>

    /// Whether some refusals wait for the refresh that the others cause.
    private let isHolding: Bool

    /// Makes a server. With a crowd it answers nobody before so many requests have arrived, then all at once but for
    /// some refusals, which it keeps until a refresh has ended.
    init(crowd: Int = 0) {
        self.crowd = Mutex((crowd, []))
        isHolding = crowd > 0
    }

    /// The rest of the chain behind an `AccessSafeNode`.
    var node: Node<Int, Int> {
        ClosureNode { [self] request in
            if running.load(ordering: .acquiring) > 0 { sentDuringRefresh.add(1, ordering: .relaxed) }
            sent.add(1, ordering: .relaxed)
            let used = token.load(ordering: .acquiring)
            let context = Context<Int>()
            if used >= valid.load(ordering: .acquiring) {
                answer(on: request) { context.emit(data: request) }
            } else if isHolding, request % 7 == 1 {
                hold(while: used) { context.emit(error: Refusal(status: 401)) }
            } else {
                answer(on: request) { context.emit(error: Refusal(status: 401)) }
            }
            return context.observer
        }
    }

    /// A refresh that lasts until `isReady` says so, which it must within half a minute.
    func refresh(until isReady: @escaping @Sendable () -> Bool = { true }) -> Node<Void, Void> {
        ClosureNode { [self] in
            #expect(running.add(1, ordering: .acquiringAndReleasing).newValue == 1, "one refresh at a time")
            refreshes.add(1, ordering: .relaxed)
            let context = Context<Void>()
            queue.async { [self] in
                let deadline = ContinuousClock.now + .seconds(30)
                while !isReady() {
                    guard .now < deadline else {
                        Issue.record("the refresh is not ready to end")
                        break
                    }
                }
                let late = held.withLock { held in
                    token.store(valid.load(ordering: .acquiring), ordering: .releasing)
                    defer { held = [] }
                    return held
                }
                running.subtract(1, ordering: .acquiringAndReleasing)
                context.emit()
                self.late.add(late.count, ordering: .relaxed)
                for answer in late { queue.async(execute: answer) }
            }
            return context.observer
        }
    }

    private func answer(on request: Int, _ answer: @escaping @Sendable () -> Void) {
        gather { [queue] in
            if request.isMultiple(of: 5) { answer() } else { queue.async(execute: answer) }
        }
    }

    /// Answers at once, or when the crowd is complete.
    private func gather(_ answer: @escaping @Sendable () -> Void) {
        let ready = crowd.withLock { crowd -> [@Sendable () -> Void] in
            crowd.missing -= 1
            crowd.answers.append(answer)
            guard crowd.missing <= 0 else { return [] }
            defer { crowd.answers = [] }
            return crowd.answers
        }
        for answer in ready { answer() }
    }

    /// Answers after the refresh that replaces the token `used`.
    private func hold(while used: Int, _ answer: @escaping @Sendable () -> Void) {
        let isHeld = held.withLock { held in
            guard token.load(ordering: .acquiring) == used else { return false }
            held.append(answer)
            return true
        }
        gather { [queue] in
            if !isHeld { queue.async(execute: answer) }
        }
    }
}
