import NodeCore
import ResponseProcessing
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a retry node sends again without a policy, or besides it.
struct LostConnectionTests {
    /// A sending that fails.
    struct End: Sendable, CustomTestStringConvertible {
        var code = TransportError.Code.connectionLost
        var wasProcessed: TransportError.Processing

        static let refused = End(wasProcessed: .no)
        static let lost = End(wasProcessed: .unknown)
        static let cut = End(code: .truncatedResponse, wasProcessed: .yes)
        static let noServer = End(code: .connectionRefused, wasProcessed: .no)

        var testDescription: String { "\(code) \(wasProcessed)" }
    }

    private struct Sending: Equatable {
        var attempt: Int
        var needsNewConnection: Bool
    }

    /// The sendings of a request whose first ones end so, before one that gets a response.
    private static func sendings(
        _ method: HttpMethod, _ ends: [End], _ policy: RetryPolicy?, body: RequestBody = .empty,
        headers: HttpHeaders = HttpHeaders()
    ) async throws -> (sendings: [Sending], hasResponse: Bool) {
        let sendings = Mutex<[Sending]>([])
        let next = ClosureNode<HttpRequest, String> { request in
            let count = sendings.withLock {
                $0.append(
                    Sending(attempt: request.attempt, needsNewConnection: request.options.needsNewConnection))
                return $0.count
            }
            guard count <= ends.count else { return "response" }
            let end = ends[count - 1]
            throw TransportError(end.code, of: request, reason: "scripted", wasProcessed: end.wasProcessed)
        }
        let request = HttpRequest(
            method: method, url: try someUrl("http://example.com"), headers: headers, body: body)
        let response = try? await RetryNode(next: next, policy: policy).execute(request)
        return (sendings.withLock { $0 }, response != nil)
    }

    @Test(arguments: [
        // A row: the method, how sendings end, how often it is sent in all, and whether that gives a response.
        (HttpMethod.get, [End.lost], 2, true), (.put, [.lost], 2, true), (.post, [.lost], 1, false),
        (.get, [.lost, .lost], 2, false),
        (.get, [.refused, .refused, .refused], 4, true), (.post, [.refused, .refused, .refused], 4, true),
        (.post, [.refused, .refused, .refused, .refused], 4, false),
        (.get, [.refused, .lost, .refused, .refused], 5, true), (.post, [.refused, .lost], 2, false),
        // Only what is lost before a response.
        (.get, [.cut], 1, false), (.get, [.noServer], 1, false),
    ])
    func aLostRequestIsSentAgainWhereThatIsSafe(
        method: HttpMethod, ends: [End], count: Int, hasResponse: Bool
    ) async throws {
        let end = try await Self.sendings(method, ends, nil)
        #expect(end.sendings.map(\.attempt) == Array(1...count))
        #expect(end.hasResponse == hasResponse)
    }

    /// What became of an earlier attempt counts, too.
    @Test(
        arguments: [
            ([.lost, .noServer], .unknown, "scripted; a server may have processed an earlier attempt"),
            ([.refused, .noServer], .no, "scripted"), ([.lost, .cut], .yes, "scripted"),
        ] as [([End], TransportError.Processing, String)])
    func theErrorSaysWhetherAnyAttemptWasProcessed(
        ends: [End], expected: TransportError.Processing, reason: String
    ) async throws {
        let number = Atomic(0)
        let request = HttpRequest(method: .put, url: try someUrl("http://example.com"))
        for isMapped in [false, true] {
            number.store(0, ordering: .relaxed)
            let next = ClosureNode<HttpRequest, String> { request in
                let end = ends[number.add(1, ordering: .relaxed).oldValue]
                let error = TransportError(end.code, of: request, reason: "scripted", wasProcessed: end.wasProcessed)
                throw isMapped ? TechnicalError.mapping(error) : error
            }
            let error = await thrown((any Error).self) { _ = try await RetryNode(next: next).execute(request) }
            // A broken response isn't mapped.
            #expect((error is TechnicalError) == (isMapped && expected != .yes))
            let cause = (error as? TechnicalError)?.cause ?? error as? TransportError
            #expect(cause?.wasProcessed == expected)
            #expect(cause?.reason == reason)
            #expect(cause?.attempt == 2)
        }
    }

    @Test func aKeyMakesAPostSafe() async throws {
        let end = try await Self.sendings(.post, [.lost], nil, headers: ["Idempotency-Key": "1"])
        #expect(end.sendings.count == 2)
    }

    @Test func aStreamThatWasReadIsNotSentAgain() async throws {
        let body = RequestBody.stream(AsyncStream<Data> { $0.finish() })
        _ = body.stream?.reader {}
        let end = try await Self.sendings(.put, [.refused], nil, body: body)
        #expect(end.sendings.count == 1)
    }

    /// Other connections that the request could use may be dead, too. One whose server has refused a stream works.
    @Test func onlyALostConnectionIsReplaced() async throws {
        let end = try await Self.sendings(.get, [.refused, .lost, .refused], nil)
        #expect(end.sendings.map(\.needsNewConnection) == [false, false, true, false])
    }

    @Test func withThePolicyOfOneAttemptOnlyWhatIsNotProcessedIsSentAgain() async throws {
        #expect(try await Self.sendings(.get, [.lost], .never).sendings.count == 1)
        #expect(try await Self.sendings(.post, [.refused], .never).sendings.count == 2)
    }

    /// What no server has processed is sent again beyond them.
    @Test(arguments: [
        ([End.refused, .refused, .refused], 4, true), ([.refused, .refused, .refused, .refused], 4, false),
        ([.lost, .lost], 2, false), ([.lost, .refused, .lost], 3, false), ([.refused, .refused, .lost], 3, false),
    ])
    func theAttemptsOfAPolicyIncludeWhatMayBeProcessed(ends: [End], count: Int, hasResponse: Bool) async throws {
        let end = try await Self.sendings(.get, ends, .constant(.zero, maxAttempts: 2))
        #expect(end.sendings.map(\.attempt) == Array(1...count))
        #expect(end.hasResponse == hasResponse)
    }

    /// Nothing tells whether another node's error came before the request was sent.
    @Test func anErrorOfANodeMayFollowAProcessedAttempt() async throws {
        struct Unread: Error {}
        let number = Atomic(0)
        let next = ClosureNode<HttpRequest, String> { request in
            if number.add(1, ordering: .relaxed).oldValue == 0 { throw Unread() }
            throw TransportError(.connectionRefused, of: request, reason: "scripted")
        }
        let node = RetryNode(next: next, policy: RetryPolicy(maxAttempts: 2) { _ in .now })
        let request = HttpRequest(method: .post, url: try someUrl("http://example.com"))
        let error = await thrown(TransportError.self) { _ = try await node.execute(request) }
        #expect(error?.wasProcessed == .unknown)
    }

    @Test func aPolicyAddsToThat() async throws {
        let policy = RetryPolicy(maxAttempts: 4) { _ in .now }
        let end = try await Self.sendings(.get, [.lost, .lost, .lost, .lost, .lost], policy)
        #expect(end.sendings.map(\.attempt) == [1, 2, 3, 4])
        #expect(end.sendings.map(\.needsNewConnection) == [false, true, true, true])
    }
}
