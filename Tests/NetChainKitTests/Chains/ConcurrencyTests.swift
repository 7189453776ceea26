import Dispatch
import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ConcurrencyTests {
    struct Question: JsonModel {
        let id: Int
    }

    struct Answer: JsonModel {
        let id: Int
        let request: String
    }

    @Test func everyAnswerOfAThousandReachesItsOwnCaller() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/ask") { request in
            guard let id = try Json(parsing: request.body)["id"]?.int else { return .status(400) }
            return .json(#"{"id": \#(id), "request": "\#(request.headers["X-Request"] ?? "")"}"#)
        }
        let chain: Node<Question, Answer> = UrlChainsBuilder<URL>().route(.post, server.url("/ask")).log(to: .silent)
            .add(provider: RequestIds()).build()
        let answers = try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for id in 0..<1000 {
                group.addTask {
                    let question = Question(id: id)
                    let answer =
                        id.isMultiple(of: 2)
                        ? try await chain.execute(question) : try await chain.process(question).value
                    return (id, answer)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 1000)
        #expect(answers.allSatisfy { $0 == $1.id })
        #expect(Set(answers.map(\.1.request)).count == 1000)
        #expect(server.counts.requests == 1000)
    }

    @Test func callbacksOfAThousandAreCalledOnceEach() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/ask") { .json($0.text) }
        let chain: Node<Question, Json> = UrlChainsBuilder<URL>().route(.post, server.url("/ask")).log(to: .silent)
            .build()
        let (right, ended) = (Counter(), Counter())
        let done = Gate()
        for id in 0..<1000 {
            chain.process(Question(id: id))
                .onCompleted { if $0 == ["id": Json(id)] { right.add() } }
                .defer { if ended.add() == 1000 { done.open() } }
        }
        try await done.wait()
        #expect(right.value == 1000)
        #expect(ended.value == 1000)
    }

    #if os(Linux)
    /// A document that takes a moment to read: until another request of the same sender has been answered.
    struct Slow: JsonModel {
        static let (began, other) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isOtherAnswered: Bool

        init(from decoder: any Decoder) {
            Self.began.signal()
            isOtherAnswered = Self.other.wait(timeout: .now() + 1) == .success
        }

        func encode(to encoder: any Encoder) {}
    }

    @Test func aDocumentThatATaskReadsHoldsUpNoOtherRequest() async throws {
        let (server, sender) = (try LoopbackServer(), try CurlRequestSender())
        let document = #"{"text": "\#(String(repeating: "x", count: 4096))"}"#
        server.on(.get, "/large", respond: .json(document).delayed(by: .milliseconds(50)))
        server.on(.get, "/small", respond: .json("{}"))
        let builder = UrlChainsBuilder<URL>().quiet().run(on: .inPlace, callbacks: .inPlace).sender(sender)
        let large: Node<Void, Slow> = builder.route(.get, server.url("/large")).build()
        let small: Node<Void, Json> = builder.route(.get, server.url("/small")).build()
        var isOtherAnswered = false
        // A task that comes so late that the answer is there before it waits is left nothing.
        for _ in 0..<5 where !isOtherAnswered {
            let task = Task { try await large.execute() }
            DispatchQueue(label: "other").async {
                Slow.began.wait()
                small.process().defer { Slow.other.signal() }
            }
            isOtherAnswered = try await task.value.isOtherAnswered
            if !isOtherAnswered { Slow.other.wait() }
        }
        #expect(isOtherAnswered)
    }
    #endif

    /// Gives each request a number of its own.
    private struct RequestIds: MetadataProvider {
        let counter = Counter()

        func metadata() async -> [String: String] {
            ["X-Request": "\(counter.add())"]
        }
    }
}
