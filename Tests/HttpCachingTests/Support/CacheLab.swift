import HttpMessages
import NetChainTestKit
import NodeCore
import Synchronization

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A cache with a test's clock in front of a scripted server.
final class CacheLab: Sendable {
    /// What the server does with a request.
    enum Answer: Sendable {
        case respond(Int, [(String, String)], String)
        case fail(TransportError.Code)
    }

    /// The time at which the clock begins.
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    let clock = TestClock()
    let cache: HttpCache
    let store: any HttpCacheStore
    let sender: CachingSender
    let network: ScriptedRequestSender
    private let begin: ContinuousClock.Instant
    private let answer: Answers

    private final class Answers: Sendable {
        let next = Mutex(Answer.respond(200, [], ""))
    }

    init(store: any HttpCacheStore = HttpCacheMemoryStore(limit: 1_000_000), offline: Duration = .seconds(7 * 86_400)) {
        let answers = Answers()
        answer = answers
        begin = clock.now
        self.store = store
        network = ScriptedRequestSender { exchange in
            switch answers.next.withLock({ $0 }) {
            case .respond(let status, let headers, let body):
                exchange.respond(
                    status: status, headers: HttpHeaders(headers.map { .init(name: $0.0, value: $0.1) }),
                    body: Data(body.utf8))
            case .fail(let code): exchange.fail(code)
            }
        }
        cache = HttpCache(store: store, offlineStaleness: offline, clock: clock, startTime: Self.start)
        sender = CachingSender(next: network, cache: cache)
    }

    /// Seconds since 1970.
    var now: Double { Self.start.timeIntervalSince1970 + (clock.now - begin) / .seconds(1) }

    /// The requests that were sent.
    var sent: [HttpRequest] { network.requests }

    /// Sets how the server answers from now on. In values `@+10` and `@-10` are dates in that many seconds.
    func answers(_ status: Int = 200, _ headers: [(String, String)] = [], body: String = "") {
        let dated = headers.map { ($0.0, self.dated($0.1)) }
        answer.next.withLock { $0 = .respond(status, dated, body) }
    }

    /// The date of `@+10` and `@-10`; any other value as it is.
    func dated(_ value: String) -> String {
        guard value.hasPrefix("@"), let delta = Double(value.dropFirst()) else { return value }
        return CacheDate.text(now + delta)
    }

    func fails(_ code: TransportError.Code) {
        answer.next.withLock { $0 = .fail(code) }
    }

    func wait(_ seconds: Double) {
        clock.advance(by: .seconds(seconds))
    }

    func request(
        _ method: HttpMethod = .get, _ path: String = "/a", _ headers: [(String, String)] = [],
        _ mode: CacheMode = .standard
    ) throws -> HttpRequest {
        guard let url = URL(string: "https://example.com" + path) else { throw TestFailure.noUrl }
        var request = HttpRequest(
            method: method, url: url, headers: HttpHeaders(headers.map { .init(name: $0.0, value: $0.1) }))
        request.options.cacheMode = mode
        return request
    }

    @discardableResult
    func get(
        _ path: String = "/a", _ headers: [(String, String)] = [], _ mode: CacheMode = .standard
    ) async throws -> HttpResponse {
        try await sender.send(try request(.get, path, headers, mode))
    }

    enum TestFailure: Error {
        case noUrl
    }
}

extension HttpResponse {
    var text: String { String(decoding: data, as: UTF8.self) }
}
