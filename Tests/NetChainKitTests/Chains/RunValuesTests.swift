import Dispatch
import NetChainKit
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A hundred runs at a time, each with a task-local value of its own: whatever belongs to a run sees the run's value, in
/// every attempt.
@Suite(.timeLimit(.minutes(2)))
struct RunValuesTests {
    @TaskLocal static var value = 0

    static let count = 100

    struct Answer: JsonModel {
        let id: Int
    }

    /// Which values were seen by what belongs to a run; a wrong one is kept.
    final class Seen: Sendable {
        private let counts = Mutex<[String: Int]>([:])
        private let wrong = Mutex<[String]>([])

        func note(_ who: String, expected: Int) {
            let value = RunValuesTests.value
            counts.withLock { $0[who, default: 0] += 1 }
            if value != expected { wrong.withLock { $0.append("\(who) of \(expected) sees \(value)") } }
        }

        func times(_ who: String) -> Int { counts.withLock { $0[who] ?? 0 } }
        var all: [String] { wrong.withLock { $0 } }
    }

    /// Adds the value of the run as a header.
    struct Provider: MetadataProvider {
        let token: @Sendable () -> String?

        func metadata() async -> [String: String] {
            await Task.yield()
            return ["X-Value": "\(RunValuesTests.value)", "Authorization": "Bearer \(token() ?? "none")"]
        }
    }

    /// Notes the value, and sends over the network or answers from a thread of its own.
    struct NotingSender: ObservingSender {
        let seen: Seen
        let next: (any RequestSender)?
        let answer: @Sendable (HttpRequest) -> (status: Int, body: String)

        func process(_ request: HttpRequest) -> Observer<HttpResponse> {
            seen.note("sender", expected: Int(request.url.lastPathComponent) ?? -1)
            if let next { return next.observed(request) }
            let context = Context<HttpResponse>()
            let (status, body) = answer(request)
            DispatchQueue.global().async {
                context.emit(data: HttpResponse(request: request, status: status, data: Data(body.utf8)))
            }
            return context.observer
        }
    }

    /// A server that rejects the first token, and then fails each request once.
    final class Script: Sendable {
        private let failed = Mutex<Set<String>>([])

        func status(_ path: String, token: String?) -> Int {
            if token != "Bearer 2" { return 401 }
            return failed.withLock { $0.insert(path).inserted } ? 503 : 200
        }
    }

    enum Kind: CaseIterable { case curl, custom }
    enum Call: CaseIterable { case await, callbacks, combine }

    @Test(arguments: Kind.allCases, Call.allCases)
    func everyAttemptProviderSenderNodeSinkAndCallbackSeesItsOwn(kind: Kind, call: Call) async throws {
        let (server, script, seen) = (try LoopbackServer(), Script(), Seen())
        server.on(.any, "/work/:id") { request in
            let id = request.parameters["id"] ?? ""
            if request.headers["X-Value"] != id { seen.note("header", expected: -1) }
            let status = script.status(request.path, token: request.headers["Authorization"])
            return status == 200 ? .redirect(to: "/done/\(id)", status: 307) : .status(status)
        }
        server.on(.any, "/done/:id") { .json(#"{"id": \#($0.parameters["id"] ?? "")}"#) }
        let store = TokenStore(TokenPair(accessToken: "1"))
        let refresher = TokenRefresherNode(store: store) { _ in TokenPair(accessToken: "2") }
        let sender = NotingSender(
            seen: seen, next: kind == .curl ? try CurlRequestSender() : nil,
            answer: { request in
                let status = script.status(request.url.path, token: request.headers["Authorization"])
                return (status, status == 200 ? #"{"id": \#(request.url.lastPathComponent)}"# : "")
            })
        let sink = LogSink.closure { report in
            guard let line = report.lines.first(where: { $0.log.message.contains("/work/") }) else { return }
            let id = line.log.message.split(separator: "/work/")[1].prefix(while: \.isNumber)
            seen.note("sink", expected: Int(id) ?? -1)
        }
        let chains = (0..<Self.count).map { id in
            UrlChainsBuilder<URL>().route(.get, server.url("/work/\(id)"))
                .add(provider: Provider(token: { store.accessToken })).accessSafe(refresher)
                .retry(.constant(.milliseconds(1))).sender(sender).log(to: sink)
                .parse(
                    with: ClosureNode { response in
                        seen.note("node", expected: id)
                        return Observer.emit(data: response).map { try Json(parsing: $0.data) }
                    }
                ).build() as Node<Void, Answer>
        }
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for (id, chain) in chains.enumerated() {
                group.addTask {
                    try await Self.$value.withValue(id) { try await Self.value(of: chain, id, by: call, seen) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let runs = call == .combine ? 2 * Self.count : Self.count
        // A callback may come a moment before its run's report.
        while seen.times("sink") < runs, !Task.isCancelled { await Task.yield() }
        #expect(values.sorted() == Array(0..<Self.count))
        #expect(seen.all == [])
        #expect(seen.times("sender") >= 2 * Self.count, "each was sent again")
        #expect(seen.times("node") == runs && seen.times("sink") == runs)
        #expect(seen.times("callback") == (call == .await ? 0 : Self.count))
    }

    private static func value(
        of chain: Node<Void, Answer>, _ id: Int, by call: Call, _ seen: Seen
    ) async throws -> Int {
        switch call {
        case .await: return try await chain.execute().id
        case .callbacks:
            return try await withCheckedThrowingContinuation { continuation in
                chain.process().onSettled { outcome in
                    seen.note("callback", expected: id)
                    continuation.resume(with: Result { try outcome.get().id })
                }
            }
        case .combine:
            return try await chain.process().combine(chain.process()).map { first, second in
                seen.note("callback", expected: id)
                return (first.id + second.id) / 2
            }.value
        }
    }

    @Test func bodiesThatStreamInAndOutSeeTheirs() async throws {
        let (server, seen) = (try LoopbackServer(), Seen())
        server.on(.post, "/up/:id") { request in
            request.text == request.parameters["id"]
                ? .redirect(to: "/done/\(request.text)", status: 303) : .status(400)
        }
        server.on(.get, "/done/:id") { .json(#"{"id": \#($0.parameters["id"] ?? "")}"#) }
        server.on(.get, "/down/:id") { .text($0.parameters["id"] ?? "") }
        let sender = try CurlRequestSender()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<Self.count {
                group.addTask {
                    try await Self.$value.withValue(id) {
                        let body = AsyncStream<Data>(unfolding: { [sent = Mutex(false)] in
                            seen.note("upload", expected: id)
                            let isFirst = sent.withLock { sent in
                                defer { sent = true }
                                return !sent
                            }
                            return isFirst ? Data("\(Self.value)".utf8) : nil
                        })
                        let upload: Node<RequestBody, Answer> = UrlChainsBuilder<URL>().route(
                            .post, server.url("/up/\(id)")
                        )
                        .sender(sender).log(to: .silent).build()
                        #expect(try await upload.execute(.stream(body)).id == id)
                        let stream = try await UrlChainsBuilder<URL>().route(.get, server.url("/down/\(id)"))
                            .sender(sender).log(to: .silent).stream().execute().value
                        var text = Data()
                        for try await piece in stream { text += piece }
                        #expect(text == Data("\(id)".utf8))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(seen.all == [])
        #expect(seen.times("upload") >= Self.count)
    }
}
