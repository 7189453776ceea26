import ClientSupport
import Glibc
import NetChainKit

/// Builds what one request of a client needs, without sending it.
struct Building {
    /// Prints the microseconds of a request's chain.
    func run() {
        let api = ApiClient("http://127.0.0.1/")
        let chains = 200_000
        var best = Duration.seconds(1_000)
        for _ in 0..<5 {
            let time = ContinuousClock().measure {
                for _ in 0..<chains { withExtendedLifetime(api.get("users/1").chain(as: User.self)) {} }
            }
            best = min(best, time)
        }
        print("build=\(best / .microseconds(1) / Double(chains))")
    }
}

/// A pass of 16 nodes without I/O, each of which maps the answer: what a chain costs by itself.
struct Passes {
    let isReady: Bool

    /// Adds one on the way down and one on the way up.
    final class AddingNode: Node<Int, Int>, @unchecked Sendable {
        let next: Node<Int, Int>

        init(next: Node<Int, Int>) {
            self.next = next
        }

        override func process(_ data: Int) -> Observer<Int> {
            next.process(data + 1).map { $0 + 1 }
        }
    }

    /// Answers at once.
    final class ReadyNode: Node<Int, Int>, @unchecked Sendable {
        override func process(_ data: Int) -> Observer<Int> {
            .emit(data: data)
        }
    }

    /// Answers when it is told to. Used by one thread.
    final class LaterNode: Node<Int, Int>, @unchecked Sendable {
        private(set) var context: Context<Int>?

        override func process(_ data: Int) -> Observer<Int> {
            let context = Context<Int>()
            self.context = context
            return context.observer
        }
    }

    /// Prints the microseconds of a pass.
    func run() {
        let later = LaterNode()
        var chain: Node<Int, Int> = isReady ? ReadyNode() : later
        for _ in 1..<16 { chain = AddingNode(next: chain) }
        let passes = 200_000
        var best = Duration.seconds(1_000)
        for _ in 0..<5 {
            let time = ContinuousClock().measure {
                for number in 0..<passes {
                    let observer = chain.process(number)
                    if !isReady { later.context?.emit(data: number + 15) }
                    guard observer.outcome?.value == number + 30 else {
                        _ = write(STDERR_FILENO, "A pass went wrong.\n", "A pass went wrong.\n".utf8.count)
                        exit(1)
                    }
                }
            }
            best = min(best, time)
        }
        print("pass=\(best / .microseconds(1) / Double(passes))")
    }
}
