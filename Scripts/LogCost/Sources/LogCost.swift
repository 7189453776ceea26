import NetChainKit
import NetChainTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `LogCost passes N`: N passes of the default chain, without a logger, over a sender that answers at once.
/// `LogCost calls N`: N log calls of a node without a logger. `LogCost nothing N`: the same loop without them.
/// `LogCost count`: prints how many entries one pass would write.
@main
struct LogCost {
    struct User: Codable, JsonModel {
        var id = 1
        var name = "Ann"
    }

    struct UsersRoute: UrlRouteProvider {
        func url() throws -> URL {
            try URL(string: "http://api.example.com") + "/users"
        }
    }

    /// A node as any other: what it captures in its messages is what nodes capture.
    final class LineNode: Node<User, User>, @unchecked Sendable {
        override func process(_ data: User) -> Observer<User> {
            log(.debug) { "user \(data.id) \(data.name)" }
            return .emit(data: data)
        }
    }

    final class QuietNode: Node<User, User>, @unchecked Sendable {
        override func process(_ data: User) -> Observer<User> {
            .emit(data: data)
        }
    }

    /// Without tasks and queues: valgrind does not survive the end of Dispatch's threads.
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let count = arguments.last.flatMap { Int($0) } ?? 1
        switch arguments.first {
        case "passes": try run(chain(log: .silent), count)
        case "calls": try run(LineNode(), count)
        case "nothing": try run(QuietNode(), count)
        default:
            let store = LogStore()
            let sink = LogSink.memory(store)
            try run(chain(log: sink), 1)
            sink.flush()
            print(store.reports.reduce(0) { $0 + $1.lines.count })
        }
    }

    struct NotCompleted: Error {}

    @inline(never)
    private static func run(_ node: Node<User, User>, _ count: Int) throws {
        for _ in 0..<count {
            guard case .completed = node.process(User()).outcome else { throw NotCompleted() }
        }
    }

    private static func chain(log sink: LogSink) -> Node<User, User> {
        let sender = ScriptedRequestSender { $0.respond(json: #"{"id": 1, "name": "Ann"}"#) }
        return UrlChainsBuilder<UsersRoute>().route(.post, UsersRoute()).sender(sender).log(to: sink)
            .log(level: .trace).run(on: .inPlace, callbacks: .inPlace).build()
    }
}
