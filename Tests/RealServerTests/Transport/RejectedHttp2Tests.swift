import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server that requires HTTP/1.1, and one that violates HTTP/2 (RFC 9113 §7, §8.1.1, §8.2.2).
@Suite(.needs(.http2, .http2Log, .authorities), .timeLimit(.minutes(1)))
struct RejectedHttp2Tests {
    private let id = Int.random(in: 1..<1 << 30) * 1_000

    private func request(_ path: String, _ method: HttpMethod = .get, number: Int = 0) throws -> HttpRequest {
        var request = try rawRequest(method, .http2, path)
        request.headers["X-Request-Id"] = "\(id + number)"
        return request
    }

    /// How often the server has processed a request.
    private func processed(number: Int = 0) throws -> Int {
        let log = try String(decoding: Data(contentsOf: ServerVariable.http2Log.file), as: UTF8.self)
        return log.split(separator: "\n").count { $0 == "\(id + number) 200" }
    }

    @Test(arguments: [HttpMethod.get, .post], [false, true])
    func aRequestThatRequiresHttp1IsSentAgainOverIt(method: HttpMethod, isReused: Bool) async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        if isReused {
            let first = try await sender.send(try request("/ok", number: 1))
            #expect(first.metrics.httpVersion == "HTTP/2")
        }
        let response = try await sender.withRetryNode.execute(try request("/http1", method))
        #expect((response.metrics.httpVersion, response.request.attempt) == ("HTTP/1.1", 2))
        #expect(try processed() == 1)
        // The server is remembered.
        for number in 2...3 {
            let next = try await sender.send(try request("/http1", method, number: number))
            #expect((next.metrics.httpVersion, next.request.attempt) == ("HTTP/1.1", 1))
            #expect(next.metrics.reusedConnection)
            #expect(try processed(number: number) == 1)
        }
    }

    @Test func manyRequestsThatRequireHttp1AreSentAgainOverIt() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        _ = try await sender.send(try request("/ok", number: 99))
        let chain = sender.withRetryNode
        let answers = try (0..<64).map { chain.process(try request("/http1", .post, number: $0)) }
        for (number, answer) in answers.enumerated() {
            #expect(try await answer.value.metrics.httpVersion == "HTTP/1.1")
            #expect(try processed(number: number) == 1)
        }
    }

    @Test func withoutHttp1TheRequestFails() async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = .http2PriorKnowledge })
        let error = await thrown(TransportError.self) { try await sender.send(try request("/http1")) }
        #expect(error?.code == .protocolViolation)
        #expect(error?.reason == "the server requires HTTP/1.1 for this request: set `httpVersion = .http1`")
        #expect((error?.wasProcessed, error?.attempt) == (.no, 1))
    }

    /// The next request uses HTTP/1.1 from the start.
    @Test func ofASenderAloneTheServerIsRememberedToo() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        let error = await thrown(TransportError.self) { try await sender.send(try request("/http1")) }
        #expect((error?.code, error?.wasProcessed) == (.protocolViolation, .no))
        #expect(
            error?.reason == "the server requires HTTP/1.1 for this request, and gets the next ones over it")
        #expect(try await sender.send(try request("/http1")).metrics.httpVersion == "HTTP/1.1")
    }

    /// On a new connection, and on a reused one.
    @Test(arguments: ["/field", "/short", "/long", "/violation"], [false, true])
    func aViolationOfHttp2IsNoLostConnection(path: String, isReused: Bool) async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        if isReused { _ = try await sender.send(try request("/ok", number: 1)) }
        let error = await thrown(TransportError.self) { try await sender.send(try request(path)) }
        #expect((error?.code, error?.attempt) == (.protocolViolation, 1))
        #expect(error?.reason.hasPrefix("HTTP/2 was violated; `httpVersion = .http1` may help (") == true)
        #expect(error?.isRetryable == false)
        #expect(try processed() == (path == "/violation" ? 0 : 1))
    }

    @Test func violationsBesideOtherRequestsAreViolationsToo() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        let answers = try (0..<64).map { sender.observed(try request($0 % 2 == 0 ? "/ok" : "/field", number: $0)) }
        for (number, answer) in answers.enumerated() {
            if number % 2 == 0 {
                #expect(try await answer.value.status == 200)
            } else {
                let error = await thrown(TransportError.self) { try await answer.value }
                #expect((error?.code, error?.attempt) == (.protocolViolation, 1))
            }
            #expect(try processed(number: number) == 1)
        }
    }
}
