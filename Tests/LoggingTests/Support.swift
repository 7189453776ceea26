import Logging
import NodeCore
import Synchronization

/// Writes a line on the way down and one on the way up.
final class TalkingNode<Output: Sendable>: Node<Int, Output>, @unchecked Sendable {
    let next: Node<Int, Output>
    private let title: String
    private let level: LogLevel

    init(_ title: String = "TalkingNode", level: LogLevel = .info, next: Node<Int, Output>) {
        self.title = title
        self.level = level
        self.next = next
    }

    override var name: String { title }

    override func execute(_ data: Int) async throws -> Output {
        log(level, "\(self.title) down \(data)")
        let outcome = await Outcome.of { try await next.execute(data) }
        Journal.current?.append(Log(id: title, level: level) { [title] in "\(title) up \(data)" })
        return try outcome.get()
    }
}

extension Outcome {
    /// `completed`, `failed` or `canceled`.
    var name: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .canceled: "canceled"
        }
    }
}

struct Boom: Error, Hashable, CustomStringConvertible {
    var description = "boom"
}

/// The other side: the test decides when each call of the node ends.
final class Puppet: Node<Int, Int>, @unchecked Sendable {
    private let contexts = Mutex<[Context<Int>]>([])

    override func process(_ data: Int) -> Observer<Int> {
        let context = Context<Int>()
        contexts.withLock { $0.append(context) }
        return context.observer
    }

    func call(_ index: Int) -> Context<Int> {
        contexts.withLock { $0[index] }
    }

    /// Lets go of the calls. They hold the journal, whose lines may hold the nodes that wrote them.
    func forgetCalls() {
        contexts.withLock { $0 = [] }
    }
}

/// Counts something from any thread.
final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    @discardableResult
    func add() -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }
}

func echo() -> Node<Int, Int> {
    ClosureNode(name: "Echo") { .emit(data: $0) }
}

extension LogReport {
    var messages: [String] { lines.map(\.log.message) }
}
