import FoundationEssentials
import Glibc
import NetChainKit
import NetChainTestKit

/// `AllocationCount serve`: answers with a small document, and prints where, until its input ends.
/// `AllocationCount comments URL N`: parses N comments of an event stream.
/// `AllocationCount sender|limits|client|await|callbacks|response URL N`: gets it N times, one after the other: with
/// the sender alone, within limits that nothing waits for, by a client, or by a kept chain: awaited, with callbacks, or
/// with the response beside the model.
@main
struct AllocationCount {
    struct User: Codable, JsonModel {
        struct Address: Codable {
            var street, city, zip: String
        }

        var id: Int
        var name, email: String
        var isActive: Bool
        var score: Double
        var tags: [String]
        var address: Address
        var manager: Int?
    }

    /// Strings of more than 15 bytes are allocations of the model, whoever decodes it: here only the street is one.
    static let document = """
        {"id": 7, "name": "User number 7", "email": "user@example.io", "isActive": true, "score": 91.5,
         "tags": ["alpha", "group-0", "team-7"], "address": {"street": "7 Very Long Street", "city": "Springfield",
         "zip": "10007"}, "manager": 1, "note": "A member that the model does not ask for, as responses have them."}
        """

    struct Wrong: Error {
        let what: String
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "serve": try serve()
        case let mode?:
            guard arguments.count == 3, let url = URL(string: arguments[2]), let count = Int(arguments[3]) else {
                throw Wrong(what: "arguments")
            }
            try await run(mode, url, count)
        case nil: throw Wrong(what: "arguments")
        }
    }

    private static func serve() throws {
        let server = try LoopbackServer(recordLimit: 0)
        server.on(.get, "/user", respond: .json(document))
        print(server.url("/user").absoluteString)
        fflush(nil)
        while readLine() != nil {}
        server.stop()
    }

    private static func run(_ mode: String, _ url: URL, _ count: Int) async throws {
        let sender = try CurlRequestSender()
        let builder = UrlChainsBuilder<URL>().route(.get, url).sender(sender).log(to: .silent)
            .run(on: .inPlace, callbacks: .inPlace)
        let chain: Node<Void, User> = builder.build()
        switch mode {
        case "sender":
            let request = HttpRequest(method: .get, url: url)
            for _ in 0..<count { _ = try await sender.send(request) }
        case "limits":
            let limited = LimitingSender(
                next: sender, rateLimit: RateLimit(1_000_000, per: .seconds(1), burst: 1_000_000),
                concurrencyLimit: ConcurrencyLimit(64))
            let request = HttpRequest(method: .get, url: url)
            for _ in 0..<count { _ = try await limited.send(request) }
        case "callbacks": try await repeated(count) { chain.process() }
        case "client":
            let api = ApiClient(url) {
                $0.sender = sender
                $0.log.sink = .silent
            }
            for _ in 0..<count { _ = try await api.get("").send(as: User.self) }
        case "await": for _ in 0..<count { _ = try await chain.execute() }
        case "response":
            let chain: Node<Void, ApiResponse<User>> = builder.build()
            for _ in 0..<count { _ = try await chain.execute() }
        case "comments":
            let comment = Data(": still here, and longer than what Data stores inline\n".utf8)
            var parser = ServerSentEventParser()
            for _ in 0..<count {
                parser.push(comment)
                guard try parser.next() == nil else { throw Wrong(what: "an event") }
            }
        default: throw Wrong(what: "mode \(mode)")
        }
    }

    /// Each answer's listener starts the next request.
    private static func repeated<Value>(_ count: Int, _ start: @escaping @Sendable () -> Observer<Value>) async throws {
        let done = Context<Void>()
        @Sendable func next(_ left: Int) {
            guard left > 0 else {
                done.emit()
                return
            }
            start().onSettled { outcome in
                switch outcome {
                case .completed: next(left - 1)
                default: done.emit(error: Wrong(what: "\(outcome)"))
                }
            }
        }
        next(count)
        try await done.observer.value
    }
}
