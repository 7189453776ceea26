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

    /// By a reset of its stream, and by a GOAWAY.
    @Test(arguments: [("/http1", HttpMethod.get), ("/http1", .post), ("/http1-goaway", .post)], [false, true])
    func aRequestThatRequiresHttp1IsSentAgainOverIt(
        how: (path: String, method: HttpMethod), isReused: Bool
    ) async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        if isReused {
            let first = try await sender.send(try request("/ok", number: 1))
            #expect(first.metrics.httpVersion == "HTTP/2")
        }
        let response = try await sender.withRetryNode.execute(try request(how.path, how.method))
        #expect((response.metrics.httpVersion, response.request.attempt) == ("HTTP/1.1", 2))
        #expect(try processed() == 1)
        // The server is remembered.
        for number in 2...3 {
            let next = try await sender.send(try request(how.path, how.method, number: number))
            #expect((next.metrics.httpVersion, next.request.attempt) == ("HTTP/1.1", 1))
            #expect(next.metrics.reusedConnection)
            #expect(try processed(number: number) == 1)
        }
    }

    /// A client that has sent nothing but GETs doesn't observe GOAWAYs yet. Then a request fails, and the next one is sent again
    /// over HTTP/1.1.
    @Test func aFirstGetThatAGoAwayRejectsMayFailButNotTheNext() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        let chain = sender.withRetryNode
        do {
            let response = try await chain.execute(try request("/http1-goaway"))
            #expect(response.metrics.httpVersion == "HTTP/1.1")
        } catch let error as TransportError {
            #expect(error.code == .protocolViolation)
            #expect(error.reason.hasPrefix("HTTP/2 was violated; `httpVersion = .http1` may help ("))
        }
        let next = try await chain.execute(try request("/http1-goaway", number: 1))
        #expect(next.metrics.httpVersion == "HTTP/1.1")
        #expect(try processed(number: 1) == 1)
    }

    @Test(arguments: ["/http1", "/http1-goaway"])
    func manyRequestsThatRequireHttp1AreSentAgainOverIt(path: String) async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        _ = try await sender.send(try request("/ok", number: 99))
        let chain = sender.withRetryNode
        let answers = try (0..<64).map { chain.process(try request(path, .post, number: $0)) }
        for (number, answer) in answers.enumerated() {
            #expect(try await answer.value.metrics.httpVersion == "HTTP/1.1")
            #expect(try processed(number: number) == 1)
        }
    }

    @Test(arguments: [("/http1", HttpMethod.get), ("/http1-goaway", .post)])
    func withoutHttp1TheRequestFails(path: String, method: HttpMethod) async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = .http2PriorKnowledge })
        let error = await thrown(TransportError.self) { try await sender.send(try request(path, method)) }
        #expect(error?.code == .protocolViolation)
        #expect(error?.reason == "the server requires HTTP/1.1 for this request: set `httpVersion = .http1`")
        #expect((error?.wasProcessed, error?.attempt) == (.no, 1))
    }

    /// The next request uses HTTP/1.1 from the start.
    @Test(arguments: [("/http1", HttpMethod.get), ("/http1-goaway", .post)])
    func ofASenderAloneTheServerIsRememberedToo(path: String, method: HttpMethod) async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        let error = await thrown(TransportError.self) { try await sender.send(try request(path, method)) }
        #expect((error?.code, error?.wasProcessed) == (.protocolViolation, .no))
        #expect(
            error?.reason == "the server requires HTTP/1.1 for this request, and gets the next ones over it")
        #expect(try await sender.send(try request(path, method)).metrics.httpVersion == "HTTP/1.1")
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
