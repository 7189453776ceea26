import NodeCore
import Testing
import UrlTransport

@testable import ResponseProcessing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RetryPolicyTests {
    private let policy = RetryPolicy.exponential(maxAttempts: 9)

    private func request(
        _ method: HttpMethod, headers: HttpHeaders = HttpHeaders(), attempt: Int = 1
    ) throws -> HttpRequest {
        HttpRequest(method: method, url: try someUrl("http://example.com"), headers: headers, attempt: attempt)
    }

    private func failure(_ code: TransportError.Code) throws -> TransportError {
        TransportError(code, of: HttpRequest(method: .get, url: try someUrl("http://example.com")), reason: "test")
    }

    @Test(arguments: [
        TransportError.Code.noNetwork, .hostNotFound, .connectionRefused, .cannotConnect, .connectTimedOut,
    ])
    func whatNeverReachedTheServerIsSentAgainWithAnyMethod(code: TransportError.Code) throws {
        for method in ["GET", "PUT", "POST", "PATCH", "PURGE"] as [HttpMethod] {
            #expect(policy.isWorthAnother(try failure(code), of: try request(method)), "\(method)")
        }
    }

    @Test(arguments: [
        TransportError.Code.requestTimedOut, .stalled, .connectionLost, .truncatedResponse,
    ])
    func whatMayHaveReachedTheServerIsSentAgainOnlyIfThatIsSafe(code: TransportError.Code) throws {
        let error = try failure(code)
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] as [HttpMethod] {
            #expect(policy.isWorthAnother(error, of: try request(method)), "\(method)")
        }
        for method in ["POST", "PATCH", "PURGE"] as [HttpMethod] {
            #expect(!policy.isWorthAnother(error, of: try request(method)), "\(method)")
            let keyed = try request(method, headers: ["idempotency-key": "8e03978e"])
            #expect(policy.isWorthAnother(error, of: keyed), "\(method)")
        }
    }

    @Test(arguments: [
        (TransportError.Processing.no, true), (.unknown, false), (.yes, false),
    ])
    func aRequestThatNoServerHasProcessedIsSentAgainWithAnyMethod(
        wasProcessed: TransportError.Processing, isWorth: Bool
    ) throws {
        let post = try request(.post)
        for code: TransportError.Code in [.connectionLost, .requestTimedOut, .stalled] {
            let error = TransportError(code, of: post, reason: "test", wasProcessed: wasProcessed)
            #expect(policy.isWorthAnother(error, of: post) == isWorth)
        }
        let error = TransportError(.pinMismatch, of: post, reason: "test", wasProcessed: wasProcessed)
        #expect(!policy.isWorthAnother(error, of: post))
    }

    @Test(arguments: [
        TransportError.Code.invalidUrl, .invalidResponse, .protocolViolation, .invalidContentEncoding,
        .responseTooLarge,
        .headersTooLarge, .tooManyRedirects, .insecureRedirect, .tlsFailed, .certificateRejected, .pinMismatch,
        .clientCertificateFailed, .tlsConfiguration, .proxyFailed, .uploadFailed, .senderClosed, .internalFailure,
    ])
    func whatWouldFailTheSameWayIsNotSentAgain(code: TransportError.Code) throws {
        #expect(!policy.isWorthAnother(try failure(code), of: try request(.get)))
    }

    @Test func aTechnicalErrorCountsAsItsCause() throws {
        let refused = try #require(TechnicalError(failure(.connectionRefused)))
        let stalled = try #require(TechnicalError(failure(.stalled)))
        #expect(policy.isWorthAnother(refused, of: try request(.post)))
        #expect(policy.isWorthAnother(stalled, of: try request(.get)))
        #expect(!policy.isWorthAnother(stalled, of: try request(.post)))
    }

    @Test(
        arguments: [
            (408, true), (429, true), (502, true), (503, true), (504, true), (400, false), (401, false), (403, false),
            (404, false), (409, false), (500, false), (501, false), (505, false),
        ])
    func onlyPassingStatusesAreWorthAnotherSending(status: Int, isWorth: Bool) throws {
        let error = HttpError(try answer(status))
        #expect(policy.isWorthAnother(error, of: try request(.get)) == isWorth)
        #expect(!policy.isWorthAnother(error, of: try request(.post)))
        #expect(policy.isWorthAnother(error, of: try request(.post, headers: ["Idempotency-Key": "1"])) == isWorth)
    }

    @Test(arguments: [(500, true), (529, true), (503, true), (501, false), (404, false)])
    func moreStatusesAreWorthAnotherSendingOfWhatMayBeRepeated(status: Int, isWorth: Bool) throws {
        let error = HttpError(try answer(status))
        for policy in [
            RetryPolicy.exponential(alsoOn: [500, 529]), .constant(.seconds(1), alsoOn: [500, 529]),
        ] {
            #expect(policy.isWorthAnother(error, of: try request(.get)) == isWorth)
            #expect(!policy.isWorthAnother(error, of: try request(.post)))
            #expect(policy.isWorthAnother(error, of: try request(.post, headers: ["Idempotency-Key": "1"])) == isWorth)
        }
        let asks = HttpError(try answer(529, headers: ["Retry-After": "11"]))
        #expect(!RetryPolicy.exponential(alsoOn: [529]).isWorthAnother(asks, of: try request(.get)))
    }

    @Test func otherErrorsAreNotSentAgain() throws {
        #expect(!policy.isWorthAnother(NoUrl(text: ""), of: try request(.get)))
        #expect(!policy.isWorthAnother(CancellationError(), of: try request(.get)))
    }

    @Test(arguments: [0, -1, Int.min]) func thereIsAtLeastOneAttempt(count: Int) {
        var policy = RetryPolicy.constant(.zero, maxAttempts: 3)
        policy.maxAttempts = count
        #expect(policy.maxAttempts == 1)
        #expect(RetryPolicy(maxAttempts: count) { _ in .no }.maxAttempts == 1)
    }

    @Test func theLastAttemptIsTheLast() throws {
        let error = try failure(.connectionRefused)
        #expect(policy.isWorthAnother(error, of: try request(.get, attempt: 8)))
        #expect(!policy.isWorthAnother(error, of: try request(.get, attempt: 9)))
        #expect(RetryPolicy.exponential(maxAttempts: 0).maxAttempts == 1)
        #expect(!RetryPolicy.exponential(maxAttempts: -3).isWorthAnother(error, of: try request(.get)))
    }

    private func delay(
        _ policy: RetryPolicy, after attempt: Int = 1, retryAfter: Duration? = nil, elapsed: Duration = .zero,
        random: Double = 0
    ) -> Duration? {
        policy.delay(after: failedAttempt(attempt, retryAfter: retryAfter, elapsed: elapsed, chance: random))
    }

    @Test func delaysGrowUpToTheLongest() {
        let policy = RetryPolicy.exponential(maxAttempts: 9, maximumDelay: .seconds(1), jitter: 0)
        let delays = (1...5).map { delay(policy, after: $0, random: 1) }
        #expect(delays == [.milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1), .seconds(1)])
    }

    @Test func aDelayCostsTheSameAfterAnyNumberOfAttempts() {
        // So slow a growth reaches the longest delay late: a step for each earlier attempt would take a day here.
        let policy = RetryPolicy.exponential(maxAttempts: .max, multiplier: 1 + .ulpOfOne, jitter: 0)
        for attempt in [1, Int.max - 1] {
            #expect(delay(policy, after: attempt) == (attempt == 1 ? .milliseconds(200) : .seconds(10)))
        }
        #expect(delay(.exponential(maxAttempts: .max, multiplier: 1, jitter: 0), after: .max - 1) == .milliseconds(200))
    }

    @Test(arguments: [(0.0, 200), (0.5, 150), (1.0, 100)])
    func chanceShortensADelayByUpToAHalf(random: Double, milliseconds: Int) {
        #expect(delay(.exponential(), random: random) == .milliseconds(milliseconds))
    }

    @Test func aConstantDelayIsTheSameEveryTimeUnlessTheServerAsksForMore() {
        let policy = RetryPolicy.constant(.milliseconds(300), maxAttempts: 5)
        #expect(policy.maxAttempts == 5)
        for attempt in 1...4 {
            #expect(delay(policy, after: attempt, random: 1) == .milliseconds(300))
            #expect(delay(policy, after: attempt, retryAfter: .seconds(9), random: 1) == .seconds(9))
            #expect(delay(policy, after: attempt, retryAfter: .seconds(11), random: 1) == nil)
        }
        #expect(delay(.constant(.seconds(60)), retryAfter: .seconds(60)) == .seconds(60))
        #expect(delay(.constant(.seconds(1), maximumDelay: .seconds(3)), retryAfter: .seconds(4)) == nil)
    }

    @Test(
        arguments: [
            (Duration.seconds(3), Duration.seconds(3)), (.seconds(0), .milliseconds(200)),
            (.milliseconds(50), .milliseconds(200)), (.nanoseconds(200_000_001), .nanoseconds(200_000_001)),
            (.seconds(10), .seconds(10)), (.nanoseconds(10_000_000_001), nil), (.seconds(3600), nil),
            (.seconds(10 * 365 * 86_400), nil),
        ] as [(Duration, Duration?)])
    func theServersWishIsNeverUndercutAndTooLongAWishEndsTheRequest(wish: Duration, expected: Duration?) {
        #expect(delay(.exponential(jitter: 0), retryAfter: wish) == expected)
        if let expected, wish == expected {
            #expect(delay(.exponential(jitter: 1), retryAfter: wish, random: 1) == wish)
        }
    }

    @Test(
        arguments: [
            (Duration.milliseconds(0), nil, true), (.milliseconds(800), nil, true), (.milliseconds(801), nil, false),
            (.zero, .seconds(1), true), (.milliseconds(1), .seconds(1), false), (.seconds(Int64.max), nil, false),
        ] as [(Duration, Duration?, Bool)])
    func noAttemptBeginsPastTheTimeLimit(elapsed: Duration, retryAfter: Duration?, isAllowed: Bool) {
        let policy = RetryPolicy.exponential(jitter: 0, timeLimit: .seconds(1))
        #expect((delay(policy, retryAfter: retryAfter, elapsed: elapsed) != nil) == isAllowed)
        #expect(delay(.constant(.zero, timeLimit: .seconds(-1))) == nil)
    }

    @Test func senselessSettingsGiveADelayAndNoTrap() {
        let endless = Duration.seconds(Int64.max)
        let policy = RetryPolicy.exponential(
            maxAttempts: 2000, initialDelay: endless, multiplier: .infinity, maximumDelay: endless, jitter: .infinity,
            timeLimit: endless)
        #expect(delay(policy, after: 1999, retryAfter: endless, elapsed: endless, random: .nan) == nil)
        var wild = Backoff(initialDelay: endless, multiplier: .infinity, maximumDelay: endless, jitter: .infinity)
        #expect(wild.delay(after: 1999, chance: .nan) <= .seconds(3_000_000_000))
        (wild.initialDelay, wild.jitter, wild.multiplier) = (.seconds(-1), .nan, .nan)
        #expect(wild.delay(after: 3, chance: 7) == .zero)
        wild.maximumDelay = .seconds(-5)
        #expect(wild.delay(after: 3, chance: 0) == .zero)
        (wild.initialDelay, wild.maximumDelay, wild.jitter) = (.seconds(1), .seconds(5), 7)
        #expect(wild.delay(after: 1, chance: 1) == .zero)
        let negative = RetryPolicy.exponential(maximumDelay: .seconds(-5))
        #expect(delay(negative, retryAfter: .seconds(1)) == nil)
    }

    @Test func aRuleOfOnesOwnDecidesByTheResponse() throws {
        let usual = RetryPolicy.exponential(jitter: 0)
        let policy = RetryPolicy(maxAttempts: 5, timeLimit: .seconds(90)) { attempt in
            guard attempt.response?.headers["X-RateLimit-Remaining"] == "0" else { return usual.shouldRetry(attempt) }
            return attempt.number == 1 ? .now : .after(.seconds(60))
        }
        let limited = HttpError(try answer(403, headers: ["X-RateLimit-Remaining": "0"]))
        func delay(_ error: any Error, _ number: Int, elapsed: Duration = .zero) throws -> Duration? {
            policy.delay(
                after: FailedAttempt(try request(.post, attempt: number), error, elapsed: elapsed, chance: 0))
        }
        #expect(try delay(limited, 1) == .zero)
        #expect(try delay(limited, 4, elapsed: .seconds(30)) == .seconds(60))
        #expect(try delay(limited, 4, elapsed: .seconds(31)) == nil)
        #expect(try delay(limited, 5) == nil)
        #expect(try delay(HttpError(answer(403)), 1) == nil)
        #expect(try delay(failure(.connectionRefused), 2) == .milliseconds(400))
    }

    @Test func anAddedRuleDecidesWhatThePolicyAloneWouldNotSendAgain() throws {
        let policy = RetryPolicy.exponential(maxAttempts: 3, jitter: 0, timeLimit: .seconds(90)).or { attempt in
            attempt.response?.status == 404 ? .after(.seconds(60)) : .no
        }.or { attempt in
            attempt.response.map { [404, 409].contains($0.status) } == true ? .now : .no
        }
        func delay(_ error: any Error, _ number: Int = 1, elapsed: Duration = .zero) throws -> Duration? {
            policy.delay(
                after: FailedAttempt(try request(.post, attempt: number), error, elapsed: elapsed, chance: 0))
        }
        #expect(try delay(failure(.connectionRefused)) == .milliseconds(200), "the policy's own delay")
        #expect(try delay(HttpError(answer(404))) == .seconds(60), "the first rule")
        #expect(try delay(HttpError(answer(409))) == .zero, "the second rule")
        #expect(try delay(HttpError(answer(410))) == nil)
        #expect(try delay(HttpError(answer(404)), 3) == nil, "the policy's attempts")
        #expect(try delay(HttpError(answer(404)), elapsed: .seconds(31)) == nil, "the policy's time limit")
        #expect(RetryPolicy.never.or { _ in .now }.delay(after: failedAttempt(1)) == nil)
    }

    @Test func aPolicyWithAnAddedRuleStillSaysWhyItEnds() throws {
        func reason(_ policy: RetryPolicy, _ attempt: FailedAttempt) -> String? {
            if case .end(let reason) = policy.nextAttempt(after: attempt) { reason } else { nil }
        }
        let policy = RetryPolicy.exponential().or { _ in .no }
        let failed = FailedAttempt(
            try request(.get), HttpError(try answer(404)), elapsed: .zero, chance: 0)
        #expect(reason(policy, failed) == "another one would get status 404 again")
        var other = policy
        other.shouldRetry = { _ in .no }
        #expect(reason(other, failed) == "the policy's rule allows no other")
        other = RetryPolicy.constant(.seconds(3)).ending(within: .seconds(5))
        let late = FailedAttempt(try request(.get), HttpError(try answer(503)), elapsed: .seconds(3), chance: 0)
        #expect(
            reason(other, late) == "another one after 3.0 seconds would pass the deadline, which is 2.0 seconds away")
    }
}

/// An attempt that is worth another one.
private func failedAttempt(
    _ number: Int, retryAfter: Duration? = nil, elapsed: Duration = .zero, chance: Double = 0
) -> FailedAttempt {
    let request = HttpRequest(method: .get, url: URL(filePath: "/"), attempt: number)
    let error = TransportError(.connectionRefused, of: request, reason: "test")
    return FailedAttempt(request, error, elapsed: elapsed, retryAfter: retryAfter, chance: chance)
}

extension RetryPolicy {
    fileprivate func isWorthAnother(_ error: any Error, of request: HttpRequest) -> Bool {
        delay(after: FailedAttempt(request, error, elapsed: .zero, chance: 0)) != nil
    }
}
