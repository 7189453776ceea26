#if os(Linux)
import TestSupport
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the events of a hop mean, without libcurl.
struct HopPhaseTests {
    private static let request = HttpRequest(method: .post, url: URL(filePath: "/"))

    /// Reports the lines of a head.
    private static func receive(_ lines: [String], in phase: inout HopPhase, limit: Int = 1000) throws {
        for line in lines {
            let bytes = Array((line + "\r\n").utf8)
            _ = try bytes.withUnsafeBytes {
                try phase.receive(line: $0, to: request, limit: limit, mayBeHttp2: false)
            }
        }
    }

    private static func phase(_ lines: [String] = [], isSent: Bool = true) throws -> HopPhase {
        var phase = HopPhase()
        if isSent { phase.hasStartedSending = true }
        try receive(lines, in: &phase)
        return phase
    }

    private static let ok = ["HTTP/1.1 200 OK", "Content-Length: 2", ""]
    private static let rejected = ["HTTP/1.1 413 Too Large", "Content-Length: 0", ""]
    private static let early = ["HTTP/1.1 103 Early Hints", "Link: </a>", ""]

    // MARK: Heads

    @Test func eachLineOfAHeadHasItsKind() throws {
        var phase = HopPhase()
        var kinds: [HopPhase.Line] = []
        for line in Self.early + Self.ok + ["X-Trailer: 1"] {
            let bytes = Array((line + "\r\n").utf8)
            kinds.append(
                try bytes.withUnsafeBytes {
                    try phase.receive(line: $0, to: Self.request, limit: 1000, mayBeHttp2: false)
                })
        }
        #expect(kinds == [.statusLine, .field, .endOfInterim, .statusLine, .field, .endOfHead, .trailer])
        #expect(phase.status == 200)
        #expect(phase.hasCompleteHead)
    }

    @Test func headersAreLimitedOverAllHeads() throws {
        var phase = HopPhase()
        try Self.receive(Self.early, in: &phase, limit: 60)
        let failure = thrown(TransferFailure.self) { try Self.receive(Self.ok, in: &phase, limit: 60) }
        #expect(failure?.code == .headersTooLarge)
    }

    // MARK: Sending

    @Test func aRequestIsSentOnce() throws {
        var phase = HopPhase()
        let isAdmitted = phase.mayStillSend(fallsBackToHttp1: true)
        #expect(isAdmitted)
        let isSent = phase.didCheck(.send)
        #expect(isSent)
        let isAdmittedAgain = phase.mayStillSend(fallsBackToHttp1: false)
        #expect(!isAdmittedAgain)
        #expect(!phase.requiresHttp1)
        #expect(phase.outcome(.failed, mayReconnect: true) == .lostConnection)
    }

    @Test func aRequestThatLibcurlWasKeptFromSendingWasNotProcessed() throws {
        var phase = try Self.phase()
        #expect(phase.mayBeProcessed)
        phase.hasStartedSending = false
        #expect(!phase.mayBeProcessed)
        #expect(phase.outcome(.connectionLost, mayReconnect: true) == .reconnectOnce)
    }

    /// Before libcurl 7.80.
    @Test func aRequestThatLibcurlSendsWithoutAskingMayBeProcessed() {
        var phase = HopPhase()
        phase.isSendingUnreported = true
        #expect(phase.mayBeProcessed)
        let isAdmitted = phase.mayStillSend(fallsBackToHttp1: false)
        #expect(isAdmitted)
        #expect(phase.outcome(.connectionLost, mayReconnect: true) == .lostConnection)
    }

    @Test func aServerThatRequiresHttp1HasNotProcessedTheRequest() throws {
        var phase = try Self.phase()
        let isAdmitted = phase.mayStillSend(fallsBackToHttp1: true)
        #expect(!isAdmitted)
        #expect(phase.requiresHttp1)
        #expect(!phase.mayBeProcessed)
        #expect(phase.outcome(.failed, mayReconnect: true) == .lostConnection)
    }

    @Test(arguments: [
        (Connection.Check.reconnect, HopPhase.HopOutcome.reconnect), (.closed, .reconnectOnce),
        (.unsolicitedData, .failure),
    ])
    func nothingIsSentOverAnUnusableConnection(
        check: Connection.Check, outcome: HopPhase.HopOutcome
    ) throws {
        var phase = try Self.phase(isSent: false)
        let isSent = phase.didCheck(check)
        #expect(!isSent)
        #expect(!phase.mayBeProcessed)
        #expect(phase.outcome(.connectionLost, mayReconnect: true) == outcome)
    }

    // MARK: The request's body

    @Test(arguments: [
        (ok, false, false, true, HopPhase.BodyStep.proceed), (early, false, false, true, .proceed),
        (rejected, true, true, true, .abort), (rejected, false, true, true, .pause),
        (rejected, false, false, true, .end), (rejected, false, false, false, .pause),
    ])
    func aRejectedRequestsBodyIsNotReadOn(
        head: [String], hasWholeResponse: Bool, knowsLength: Bool, mayEndEarly: Bool, step: HopPhase.BodyStep
    ) throws {
        let next = try Self.phase(head).stepOfReading(
            hasWholeResponse: hasWholeResponse, knowsLength: knowsLength, mayEndEarly: mayEndEarly)
        #expect(next == step)
    }

    @Test(arguments: [
        (ok, false, true, true, HopPhase.BodyStep.proceed), (ok, true, true, false, .proceed),
        (ok, true, true, true, .abort),
        (ok, true, false, false, .proceed), (rejected, false, true, true, .resume),
        (rejected, true, true, true, .resume), (rejected, true, false, false, .proceed),
    ])
    func aWholeResponseEndsAHopWhoseBodyWaits(
        head: [String], hasWholeResponse: Bool, hasBody: Bool, isBodyWaiting: Bool, step: HopPhase.BodyStep
    ) throws {
        let next = try Self.phase(head).stepAfterResponse(
            isWhole: hasWholeResponse, hasBody: hasBody, isBodyWaiting: isBodyWaiting)
        #expect(next == step)
    }

    @Test func aBodyThatCannotBeReadAgainIsALostConnectionBeforeAResponse() throws {
        var phase = try Self.phase()
        phase.rewindFailed()
        #expect(phase.outcome(.failed, mayReconnect: true) == .lostConnection)
        guard case .lostConnection = phase.abortReason else {
            Issue.record("\(String(describing: phase.abortReason))")
            return
        }
        var answered = try Self.phase(Self.early)
        answered.rewindFailed()
        #expect(answered.outcome(.failed, mayReconnect: true) == .failure)
    }

    // MARK: Outcomes

    /// libcurl would send a request of HTTP/2 again, although its response has begun (HTTP_1_1_REQUIRED).
    @Test(arguments: [ok, early])
    func aRequestIsNotSentAgainAfterAByteOfItsResponse(head: [String]) throws {
        var phase = try Self.phase(head)
        let isAdmitted = phase.mayStillSend(fallsBackToHttp1: true)
        #expect(!isAdmitted)
        #expect(!phase.requiresHttp1)
        #expect(phase.outcome(.connectionLost, mayReconnect: true) == .failure)
    }

    @Test(arguments: [
        (ok, HopPhase.Completion.completed, HopPhase.HopOutcome.response),
        (ok, .failed, .failure),
        (rejected, .connectionLost, .failure),
        (Array(ok.dropLast()), .completed, .truncatedHead),
        (early, .completed, .truncatedHead),
        // libcurl 7.88 reports no failure when a connection of HTTP/2 ends before the response.
        ([], .completed, .lostConnection),
        ([], .failed, .failure), ([], .connectionLost, .lostConnection),
        (ok, .connectionLost, .failure), (["HTTP/1.1 100 Continue", ""], .connectionLost, .failure),
    ])
    func theOutcomeFollowsFromHeadAndEnd(
        head: [String], end: HopPhase.Completion, outcome: HopPhase.HopOutcome
    ) throws {
        #expect(try Self.phase(head).outcome(end, mayReconnect: true) == outcome)
    }

    @Test func aRefusedStreamWasNotProcessed() throws {
        var phase = try Self.phase()
        phase.isUnprocessed = true
        _ = phase.mayStillSend(fallsBackToHttp1: false)
        #expect(!phase.mayBeProcessed)
        #expect(phase.outcome(.failed, mayReconnect: true) == .lostConnection)
    }

    @Test func aRequestThatWasNotSentIsSentOverAnotherConnectionOnce() {
        let phase = HopPhase()
        #expect(!phase.mayBeProcessed)
        #expect(phase.outcome(.connectionLost, mayReconnect: true) == .reconnectOnce)
        #expect(phase.outcome(.connectionLost, mayReconnect: false) == .lostConnection)
        #expect(phase.outcome(.failed, mayReconnect: true) == .failure)
    }

    @Test func theFirstStopCounts() throws {
        var phase = try Self.phase(Self.ok)
        phase.abort(.partialFileRejected)
        phase.fail(TransferFailure(.responseTooLarge, "later"))
        #expect(phase.outcome(.failed, mayReconnect: true) == .withoutRange)
        var failed = try Self.phase(Self.ok)
        failed.fail(TransferFailure(.responseTooLarge, "first"))
        failed.abort(.expectationRejected)
        #expect(failed.outcome(.failed, mayReconnect: true) == .failure)
        #expect(failed.outcome(.completed, mayReconnect: true) == .failure)
    }

    @Test func aStaleConnectionIsReplaced() throws {
        var phase = try Self.phase()
        phase.abort(.reconnect)
        #expect(phase.outcome(.failed, mayReconnect: true) == .reconnect)
    }

    @Test func aRejectedExpectationIsSentAgainWithoutIt() throws {
        var phase = try Self.phase(["HTTP/1.1 417 Expectation Failed", "Content-Length: 0", ""])
        phase.abort(.expectationRejected)
        #expect(phase.outcome(.failed, mayReconnect: true) == .withoutExpectation)
    }
}
#endif
