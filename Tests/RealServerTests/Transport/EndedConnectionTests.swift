import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server of HTTP/2 that ends connections and streams: no request fails that it has provably not processed, and none is
/// processed twice (RFC 9113 §6.8, §8.7).
@Suite(.needs(.http2, .http2Log, .authorities), .timeLimit(.minutes(2)))
struct EndedConnectionTests {
    /// What became of many requests.
    private struct Outcome {
        /// The errors by the ids of their requests.
        var failures: [Int: TransportError] = [:]
        /// How often the server has processed an id.
        var processed: [Int: Int] = [:]
        /// How many responses came over a new connection.
        var connections = 0

        func isOnce(_ id: Int) -> Bool { processed[id] == 1 }
    }

    private let ids: Range<Int>

    init() {
        let first = Int.random(in: 1..<1 << 30) * 1_000
        ids = first..<first + 400
    }

    /// Sends a request for each id, some at a time, with a pause after each.
    private func send(
        _ method: HttpMethod, to path: String, atATime: Int = 16, pause: Duration? = nil
    ) async throws -> Outcome {
        // With `automatic`, the body would use HTTP/1.1 before libcurl 8.14.
        let sender = try CurlRequestSender(
            configuration: .tls { $0.httpVersion = method == .post ? .http2PriorKnowledge : .automatic })
        let chain = sender.withRetryNode
        var outcome = Outcome()
        func note(_ id: Int, _ result: Result<HttpResponse, TransportError>) {
            switch result {
            case .success(let response): if !response.metrics.reusedConnection { outcome.connections += 1 }
            case .failure(let error): outcome.failures[id] = error
            }
        }
        try await withThrowingTaskGroup(of: (id: Int, result: Result<HttpResponse, TransportError>).self) { group in
            for id in ids {
                if id - ids.lowerBound >= atATime, let end = try await group.next() { note(end.id, end.result) }
                group.addTask {
                    var request = try rawRequest(
                        method, .http2, path, body: method == .post ? .data(Data("body".utf8)) : .empty)
                    request.headers["X-Request-Id"] = "\(id)"
                    let result: Result<HttpResponse, TransportError>
                    do {
                        result = .success(try await chain.execute(request))
                    } catch let error as TransportError {
                        result = .failure(error)
                    }
                    if let pause { try await Task.sleep(for: pause) }
                    return (id, result)
                }
            }
            for try await end in group { note(end.id, end.result) }
        }
        // The server writes a line before its response.
        let log = try String(decoding: Data(contentsOf: ServerVariable.http2Log.file), as: UTF8.self)
        for line in log.split(separator: "\n") {
            if let id = Int(line.prefix { $0 != " " }), ids.contains(id) { outcome.processed[id, default: 0] += 1 }
        }
        return outcome
    }

    @Test(arguments: [HttpMethod.get, .post], ["goaway", "half-open"])
    func requestsThatAGoAwayExcludesAreSentAgain(method: HttpMethod, ending: String) async throws {
        // So few at a time are among the first streams of the next connection, and none is excluded twice.
        let outcome = try await send(method, to: "/\(ending)/40", atATime: 8)
        #expect(outcome.failures.isEmpty, "\(outcome.failures.count): \(outcome.failures.first as Any)")
        #expect(ids.allSatisfy(outcome.isOnce))
        #expect(outcome.connections >= ids.count / 40)
    }

    @Test func aGetWhoseStreamIsRefusedIsSentAgain() async throws {
        let outcome = try await send(.get, to: "/refused/3")
        #expect(outcome.failures.isEmpty, "\(outcome.failures.count): \(outcome.failures.first as Any)")
        #expect(ids.allSatisfy(outcome.isOnce))
    }

    /// libcurl reports a refused stream on a connection's first request only. On others, it looks like a lost connection.
    @Test func aPostWhoseStreamIsRefusedIsProcessedOnceAtMost() async throws {
        let outcome = try await send(.post, to: "/refused/3")
        for (id, error) in outcome.failures {
            #expect(id % 3 == 0)
            #expect(error.code == .connectionLost)
            #expect(error.wasProcessed == .unknown)
            #expect(outcome.processed[id] == nil)
        }
        #expect(ids.allSatisfy { outcome.failures[$0] != nil || outcome.isOnce($0) })
    }

    /// The stream is reset within the body of its response. If another transfer reads the reset, libcurl drops the head, too.
    /// Then a GET is sent again.
    @Test(arguments: [HttpMethod.get, .post], [1, 16])
    func aRequestWhoseResponseIsResetIsNotTakenForRefused(method: HttpMethod, atATime: Int) async throws {
        let outcome = try await send(method, to: "/reset/2", atATime: atATime)
        #expect(outcome.failures.count == ids.count / 2)
        for (id, error) in outcome.failures {
            #expect(id % 2 == 0)
            #expect(error.code == .truncatedResponse || atATime > 1 && error.code == .connectionLost, "\(error)")
            #expect(error.wasProcessed == (error.code == .truncatedResponse ? .yes : .unknown))
        }
        let isOnce = method == .post || atATime == 1
        #expect(ids.allSatisfy { (1...(isOnce ? 1 : 2)).contains(outcome.processed[$0] ?? 0) })
    }

    /// Node processes streams that such a GOAWAY excludes.
    @Test(arguments: [1, 2])
    func aPostThatAGoAwayWithAnErrorExcludesIsProcessedOnce(stream: Int) async throws {
        let outcome = try await send(.post, to: "/error/\(stream)", atATime: 1)
        #expect(outcome.failures.count == ids.count / stream)
        for error in outcome.failures.values { #expect(error.wasProcessed == .unknown) }
        #expect(ids.allSatisfy(outcome.isOnce))
    }

    /// The server closes a connection at about the time when the next request is sent. A client that is slow to read may find
    /// that the reset has taken the rest of a response (RFC 9112 §9.6): then the request was processed.
    @Test(arguments: [HttpMethod.get, .post])
    func aRequestThatMeetsTheCloseOfItsConnectionIsProcessedOnceAtMost(method: HttpMethod) async throws {
        let outcome = try await send(method, to: "/idle/10", atATime: 1, pause: .milliseconds(10))
        for (id, error) in outcome.failures {
            let hasHead = error.code == .truncatedResponse
            #expect(hasHead || method == .post, "\(error)")
            #expect(error.wasProcessed == (hasHead ? .yes : .unknown))
            if hasHead { #expect(outcome.processed[id] != nil) }
        }
        #expect(outcome.connections > 1)
        #expect(ids.allSatisfy { (outcome.processed[$0] ?? 0) <= (method == .get ? 2 : 1) })
        #expect(ids.allSatisfy { outcome.failures[$0] != nil || outcome.processed[$0] != nil })
    }
}
