import ClientSupport
import NetChainKit

/// What a request costs without I/O, in microseconds.
enum Passes {
    /// Adds one on the way back.
    private final class AddingNode: Node<Int, Int>, @unchecked Sendable {
        private let next: Node<Int, Int>

        init(next: Node<Int, Int>) { self.next = next }

        override func process(_ data: Int) -> Observer<Int> { next.process(data).map { $0 + 1 } }
    }

    /// Emits the number later. Used by one thread.
    private final class LaterNode: Node<Int, Int>, @unchecked Sendable {
        private(set) var context = Context<Int>()

        override func process(_ data: Int) -> Observer<Int> {
            context = Context()
            return context.observer
        }
    }

    /// Prints the time of building what one request of a client needs, and of passes through 16 nodes whose result is ready,
    /// and comes later.
    static func run() {
        let api = ApiClient("http://127.0.0.1/")
        let build = best { _ in withExtendedLifetime(api.get("users/1").chain(as: User.self)) {} }
        let later = LaterNode()
        let chains = [ClosureNode<Int, Int> { .emit(data: $0) }, later].map { last in
            (1..<16).reduce(last as Node<Int, Int>) { next, _ in AddingNode(next: next) }
        }
        let ready = best { check(chains[0].process($0), $0) }
        let pending = best { number in
            let observer = chains[1].process(number)
            later.context.emit(data: number)
            check(observer, number)
        }
        print("build=\(build) ready=\(ready) later=\(pending)")
    }

    private static func check(_ observer: Observer<Int>, _ number: Int) {
        if observer.outcome?.value != number + 15 { fail("a pass went wrong") }
    }

    /// The time of a call in the fastest of five rounds.
    private static func best(_ body: (Int) -> Void) -> Double {
        let calls = 200_000
        let times = (0..<5).map { _ in ContinuousClock().measure { (0..<calls).forEach(body) } }
        return (times.min() ?? .zero) / .microseconds(1) / Double(calls)
    }
}
