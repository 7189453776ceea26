#if os(Linux)
import CNetChainCurl
import TestSupport
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the events of a hop mean, without a transfer.
struct ExchangeTests {
    private static let request = HttpRequest(method: .post, url: URL(filePath: "/"))

    /// Reports the lines of a head.
    private static func receive(
        _ lines: [String], to request: HttpRequest = request, in exchange: inout Exchange, limit: Int = 1000
    ) throws {
        for line in lines {
            let bytes = Array((line + "\r\n").utf8)
            _ = try bytes.withUnsafeBytes {
                try exchange.receive(line: $0, to: request, limit: limit, mayBeHttp2: false)
            }
        }
    }

    private static func exchange(_ lines: [String] = [], isSent: Bool = true) throws -> Exchange {
        var exchange = Exchange()
        if isSent { _ = exchange.didCheck(.send) }
        try receive(lines, in: &exchange)
        return exchange
    }

    private static let ok = ["HTTP/1.1 200 OK", "Content-Length: 2", ""]
    private static let rejected = ["HTTP/1.1 413 Too Large", "Content-Length: 0", ""]
    private static let early = ["HTTP/1.1 103 Early Hints", "Link: </a>", ""]

    // Results of each kind.
    private static let completed = CURLE_OK
    private static let lost = CURLE_RECV_ERROR
    private static let failed = CURLE_WRITE_ERROR

    /// Ends the exchange with a result of libcurl.
    private static func end(
        _ exchange: inout Exchange, of request: HttpRequest = request, _ result: CURLcode, written: Int = 100,
        over used: Connection? = nil, mayReconnect: Bool = true, hasServerMoved: Bool = false
    ) -> Exchange.Outcome {
        var connection = HopConnection()
        connection.used = used
        return exchange.didEnd(
            CurlReport(result: result, writtenHead: written), HopPlan(request, CurlSettings(CurlConfiguration())),
            over: connection, mayReconnect: mayReconnect, hasServerMoved: hasServerMoved)
    }

    // MARK: Heads

    @Test func eachLineOfAHeadHasItsKind() throws {
        var exchange = Exchange()
        var kinds: [Exchange.Line] = []
        for line in Self.early + Self.ok + ["X-Trailer: 1"] {
            let bytes = Array((line + "\r\n").utf8)
            kinds.append(
                try bytes.withUnsafeBytes {
                    try exchange.receive(line: $0, to: Self.request, limit: 1000, mayBeHttp2: false)
                })
        }
        #expect(kinds == [.statusLine, .field, .endOfInterim, .statusLine, .field, .endOfHead, .trailer])
        #expect(exchange.status == 200)
        #expect(exchange.hasCompleteHead)
    }

    @Test func headersAreLimitedOverAllHeads() throws {
        var exchange = Exchange()
        try Self.receive(Self.early, in: &exchange, limit: 60)
        let failure = thrown(TransferFailure.self) { try Self.receive(Self.ok, in: &exchange, limit: 60) }
        #expect(failure?.code == .headersTooLarge)
    }

    // MARK: The target of the body

    private static let file = BodyDestination.file(URL(filePath: "/f"))

    /// Status, method, destination, what the partial file says, target.
    @Test(
        arguments: [
            (200, .get, .memory, nil, .memory), (404, .get, .memory, nil, .memory),
            (200, .get, .stream, nil, .stream), (404, .get, .stream, nil, .memory), (200, .head, .stream, nil, .memory),
            (200, .get, file, nil, .file), (404, .get, file, nil, .memory), (200, .head, file, nil, .memory),
            // They have no content, so the file stays as it is.
            (204, .get, file, nil, .memory), (205, .get, file, nil, .memory),
            (206, .get, file, .write, .partialFile(isComplete: false)),
            (416, .get, file, .whole, .partialFile(isComplete: true)), (404, .get, file, .rejected, .memory),
        ] as [(Int, HttpMethod, BodyDestination, PartialFile.Resumption?, Exchange.BodyTarget)])
    func aBodyGoesToTheDestinationOfASuccess(
        status: Int, method: HttpMethod, destination: BodyDestination, resumption: PartialFile.Resumption?,
        target: Exchange.BodyTarget
    ) throws {
        var request = HttpRequest(method: method, url: URL(filePath: "/"))
        request.headers["Range"] = "bytes=0-"
        var exchange = Exchange()
        _ = exchange.didCheck(.send)
        try Self.receive(["HTTP/1.1 \(status) -", ""], to: request, in: &exchange)
        let decided = exchange.bodyTarget(
            of: request, destination, isAccepted: RequestOptions().hasDestination, resumption: resumption)
        #expect(decided == target)
        #expect(exchange.abortReason == nil)
    }

    /// Status, destination, what the partial file says, target.
    @Test(
        arguments: [
            (200, .stream, nil, .memory), (200, file, nil, .memory), (200, file, .write, .memory),
            (206, file, .write, .memory), (416, file, .whole, .memory), (201, file, nil, .file),
            (201, .stream, nil, .stream),
        ] as [(Int, BodyDestination, PartialFile.Resumption?, Exchange.BodyTarget)])
    func theBodyOfASuccessThatIsNotAcceptedGoesToMemory(
        status: Int, destination: BodyDestination, resumption: PartialFile.Resumption?, target: Exchange.BodyTarget
    ) throws {
        var request = HttpRequest(method: .get, url: URL(filePath: "/"))
        request.headers["Range"] = "bytes=0-"
        var exchange = Exchange()
        _ = exchange.didCheck(.send)
        try Self.receive(["HTTP/1.1 \(status) -", ""], to: request, in: &exchange)
        var options = RequestOptions(destination: destination)
        options.acceptsSuccess = { $0 == 201 }
        let decided = exchange.bodyTarget(
            of: request, destination, isAccepted: options.hasDestination, resumption: resumption)
        #expect(decided == target)
        #expect(exchange.abortReason == nil)
    }

    /// The pieces of a head as the write callback gets them; "|" ends a line.
    @Test(
        arguments: [
            ("HTTP/1.1 200 OK|A: 1| b|", nil), ("HTTP/1.1 200 OK| A: 1|", 1), ("HTTP/1.1 200 OK|\tA: 1|", 1),
            ("HTTP/1.1 100 Continue||HTTP/1.1 200 OK| A: 1|", 3),
            ("HTTP/1.1 100 Continue|A: 1||HTTP/1.1 200 OK| B: 1|", 4),
            ("HTTP/1.1 200 OK|A: 1||", nil),
        ] as [(String, Int?)])
    func aFirstLineThatContinuesNothingIsNotAdmitted(head: String, rejected: Int?) throws {
        var exchange = Exchange()
        _ = exchange.didCheck(.send)
        var first: Int?
        for (index, line) in head.split(separator: "|", omittingEmptySubsequences: false).dropLast().enumerated() {
            let isAdmitted = Array("\(line)\r\n".utf8).withUnsafeBytes { exchange.admitLine($0) }
            if !isAdmitted {
                first = index
                break
            }
            try Self.receive([String(line)], to: Self.request, in: &exchange)
        }
        #expect(first == rejected)
        #expect((exchange.abortReason != nil) == (rejected != nil))
    }

    @Test func aPieceOfALongLineContinuesIt() {
        var exchange = Exchange()
        let pieces = ["HTTP/1.1 200 OK\r\n", "A: ", "  ", " \r\n", " b\r\n"]
        let admitted = pieces.map { piece in Array(piece.utf8).withUnsafeBytes { exchange.admitLine($0) } }
        // Without `receive`, no field is known.
        #expect(admitted == [true, true, true, true, false])
    }

    @Test func aPartThatDoesNotFitIsRequestedAgainWithoutARange() throws {
        var exchange = try Self.exchange(Self.ok)
        let target = exchange.bodyTarget(
            of: Self.request, Self.file, isAccepted: { _ in true }, resumption: .startAgain)
        #expect(target == nil)
        let outcome = Self.end(&exchange, Self.failed)
        #expect(outcome == .withoutRange)
    }

    /// A 200 whose `Content-Range` is another one than the request's.
    @Test(arguments: [BodyDestination.memory, .stream, file])
    func anUndeclaredPartFails(destination: BodyDestination) throws {
        var request = HttpRequest(method: .get, url: URL(filePath: "/"))
        request.headers["Range"] = "bytes=5-"
        var exchange = Exchange()
        _ = exchange.didCheck(.send)
        try Self.receive(
            ["HTTP/1.1 200 OK", "Content-Length: 2", "Content-Range: bytes 0-1/9", ""], to: request, in: &exchange)
        let target = exchange.bodyTarget(of: request, destination, isAccepted: { _ in true }, resumption: nil)
        #expect(target == nil)
        guard case .failure(let failure) = exchange.abortReason else {
            Issue.record("\(String(describing: exchange.abortReason))")
            return
        }
        #expect(failure.code == .invalidResponse)
    }

    @Test func aRejectedExpectationIsSentAgainWithoutIt() throws {
        var request = Self.request
        request.headers["Expect"] = "100-continue"
        var exchange = try Self.exchange(["HTTP/1.1 417 Expectation Failed", "Content-Length: 0", ""])
        let target = exchange.bodyTarget(of: request, .memory, isAccepted: { _ in true }, resumption: nil)
        #expect(target == nil)
        let outcome = Self.end(&exchange, Self.failed)
        #expect(outcome == .withoutExpectation)
    }

    // MARK: Sending

    @Test func aRequestIsSentOnce() throws {
        var exchange = Exchange()
        let isAdmitted = exchange.admitSending(fallsBackToHttp1: true)
        #expect(isAdmitted)
        let isSent = exchange.didCheck(.send)
        #expect(isSent)
        let isAdmittedAgain = exchange.admitSending(fallsBackToHttp1: false)
        #expect(!isAdmittedAgain)
        #expect(!exchange.requiresHttp1)
        let outcome = Self.end(&exchange, Self.failed)
        #expect(outcome == .lostConnection)
    }

    /// libcurl counts the bytes that it has written, with HTTP/1 exactly.
    @Test(arguments: [
        (0, true, Exchange.Outcome.reconnectOnce), (100, true, .lostConnection), (0, false, .lostConnection),
    ])
    func aRequestOfWhichNothingWasWrittenWasNotProcessed(
        written: Int, isHttp1: Bool, expected: Exchange.Outcome
    ) throws {
        let used = Connection(socket: -1)
        used.didReceiveStatusLine(isHttp1: isHttp1)
        var exchange = try Self.exchange()
        #expect(exchange.mayBeProcessed)
        let outcome = Self.end(&exchange, Self.lost, written: written, over: used)
        #expect(outcome == expected)
        #expect(exchange.mayBeProcessed == (expected == .lostConnection))
    }

    /// Over TLS, libcurl may not count what is in the first records.
    @Test(arguments: [
        ("http", RequestBody.data(Data(count: 1 << 20)), 0, Exchange.Outcome.reconnectOnce),
        ("https", .data(Data()), 0, .reconnectOnce), ("https", .data(Data(count: 4 << 10)), 0, .reconnectOnce),
        ("https", .data(Data(count: 5 << 10)), 0, .lostConnection),
        ("https", .data(Data(count: 1 << 20)), 0, .lostConnection),
        ("https", .data(Data()), 3 << 10, .lostConnection), ("http", .data(Data()), 3 << 10, .reconnectOnce),
    ])
    func aLargeRequestOverTlsMayBeProcessedAlthoughNothingWasCounted(
        scheme: String, body: RequestBody, header: Int, expected: Exchange.Outcome
    ) throws {
        let used = Connection(socket: -1)
        used.didReceiveStatusLine(isHttp1: true)
        let request = HttpRequest(
            method: .post, url: try #require(URL(string: "\(scheme)://a.test/")),
            headers: ["X-Text": String(repeating: "a", count: header)], body: body)
        var exchange = try Self.exchange()
        let outcome = Self.end(&exchange, of: request, Self.lost, written: 0, over: used)
        #expect(outcome == expected)
        #expect(exchange.mayBeProcessed == (expected == .lostConnection))
    }

    /// Before libcurl 7.80.
    @Test func aRequestThatLibcurlSendsWithoutAskingMayBeProcessed() {
        var exchange = Exchange()
        exchange.isSendingUnreported = true
        #expect(exchange.mayBeProcessed)
        let isAdmitted = exchange.admitSending(fallsBackToHttp1: false)
        #expect(isAdmitted)
        let outcome = Self.end(&exchange, Self.lost)
        #expect(outcome == .lostConnection)
    }

    @Test func aServerThatRequiresHttp1HasNotProcessedTheRequest() throws {
        var exchange = try Self.exchange()
        let isAdmitted = exchange.admitSending(fallsBackToHttp1: true)
        #expect(!isAdmitted)
        #expect(exchange.requiresHttp1)
        #expect(!exchange.mayBeProcessed)
        let outcome = Self.end(&exchange, Self.failed)
        #expect(outcome == .lostConnection)
    }

    @Test(arguments: [
        (Connection.Check.reconnect, Exchange.Outcome.reconnect), (.closed, .reconnectOnce),
        (.unsolicitedData, .failure),
    ])
    func nothingIsSentOverAnUnusableConnection(check: Connection.Check, expected: Exchange.Outcome) throws {
        var exchange = try Self.exchange(isSent: false)
        let isSent = exchange.didCheck(check)
        #expect(!isSent)
        #expect(!exchange.mayBeProcessed)
        let outcome = Self.end(&exchange, Self.lost)
        #expect(outcome == expected)
    }

    // MARK: The request's body

    @Test(arguments: [
        (ok, false, false, true, Exchange.ReadStep.proceed), (early, false, false, true, .proceed),
        (rejected, true, true, true, .abort), (rejected, false, true, true, .pause),
        (rejected, false, false, true, .end), (rejected, false, false, false, .pause),
    ])
    func aRejectedRequestsBodyIsNotReadOn(
        head: [String], hasWholeResponse: Bool, knowsLength: Bool, mayEndEarly: Bool, step: Exchange.ReadStep
    ) throws {
        let next = try Self.exchange(head).stepOfReading(
            hasWholeResponse: hasWholeResponse, knowsLength: knowsLength, mayEndEarly: mayEndEarly)
        #expect(next == step)
    }

    @Test(arguments: [
        (ok, false, true, true, Exchange.ResponseStep.proceed), (ok, true, true, false, .proceed),
        (ok, true, true, true, .abort),
        (ok, true, false, false, .proceed), (rejected, false, true, true, .resume),
        (rejected, true, true, true, .resume), (rejected, true, false, false, .proceed),
    ])
    func aWholeResponseEndsAHopWhoseBodyWaits(
        head: [String], hasWholeResponse: Bool, hasBody: Bool, isBodyWaiting: Bool, step: Exchange.ResponseStep
    ) throws {
        let next = try Self.exchange(head).stepAfterResponse(
            isWhole: hasWholeResponse, hasBody: hasBody, isBodyWaiting: isBodyWaiting)
        #expect(next == step)
    }

    @Test func aBodyThatCannotBeReadAgainIsALostConnectionBeforeAResponse() throws {
        var exchange = try Self.exchange()
        exchange.rewindFailed()
        guard case .lostConnection = exchange.abortReason else {
            Issue.record("\(String(describing: exchange.abortReason))")
            return
        }
        let outcome = Self.end(&exchange, Self.failed)
        #expect(outcome == .lostConnection)
        for (head, expected) in [(Self.early, Exchange.Outcome.lostConnection), (Self.ok, .failure)] {
            var responding = try Self.exchange(head)
            responding.rewindFailed()
            let outcomeAfterHead = Self.end(&responding, Self.failed)
            #expect(outcomeAfterHead == expected)
        }
    }

    // MARK: Outcomes

    /// libcurl would send a request of HTTP/2 again, although its response has begun (HTTP_1_1_REQUIRED).
    @Test(arguments: [(ok, Exchange.Outcome.failure), (early, .lostConnection)])
    func libcurlDoesNotSendAgainAfterAByte(head: [String], expected: Exchange.Outcome) throws {
        var exchange = try Self.exchange(head)
        let isAdmitted = exchange.admitSending(fallsBackToHttp1: true)
        #expect(!isAdmitted)
        #expect(!exchange.requiresHttp1)
        let outcome = Self.end(&exchange, Self.lost)
        #expect(outcome == expected)
    }

    @Test(arguments: [
        (ok, completed, Exchange.Outcome.response), (ok, failed, .failure), (rejected, lost, .failure),
        (Array(ok.dropLast()), completed, .truncatedHead), (early, completed, .lostConnection),
        // libcurl 7.88 reports no failure when a connection of HTTP/2 ends before the response.
        ([], completed, .lostConnection),
        ([], failed, .failure), ([], lost, .lostConnection),
        (ok, lost, .failure),
        // An interim response is none.
        (["HTTP/1.1 100 Continue", ""], lost, .lostConnection),
        (["HTTP/1.1 103 Hints", "A: 1"], lost, .lostConnection),
        (["HTTP/1.1 100 Continue", ""], completed, .lostConnection),
        (["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK"], lost, .failure),
    ])
    func theOutcomeFollowsFromHeadAndResult(head: [String], result: CURLcode, expected: Exchange.Outcome) throws {
        var exchange = try Self.exchange(head)
        let outcome = Self.end(&exchange, result)
        #expect(outcome == expected)
    }

    @Test(
        arguments: [
            (["HTTP/2 413 ", ""], "STREAM_CLOSED (err 5)", RequestBody.data(Data([1])), Exchange.Outcome.response),
            (["HTTP/2 413 ", ""], "CANCEL (err 8)", .data(Data([1])), .failure),
            (["HTTP/2 200 ", ""], "STREAM_CLOSED (err 5)", .empty, .failure),
            (["HTTP/2 413 "], "STREAM_CLOSED (err 5)", .data(Data([1])), .truncatedHead),
            ([], "STREAM_CLOSED (err 5)", .data(Data([1])), .lostConnection),
        ])
    func aServerThatRejectsTheRestOfABodyHasEndedItsResponse(
        head: [String], error: String, body: RequestBody, expected: Exchange.Outcome
    ) throws {
        var request = HttpRequest(method: .post, url: Self.request.url)
        request.body = body
        var exchange = Exchange()
        _ = exchange.didCheck(.send)
        for line in head {
            let bytes = Array((line + "\r\n").utf8)
            _ = try bytes.withUnsafeBytes {
                try exchange.receive(line: $0, to: request, limit: 1000, mayBeHttp2: true)
            }
        }
        let report = CurlReport(
            result: CURLE_HTTP2_STREAM, message: "HTTP/2 stream 1 was not closed cleanly: \(error)", writtenHead: 100)
        let outcome = exchange.didEnd(
            report, HopPlan(request, CurlSettings(CurlConfiguration())), over: HopConnection(), mayReconnect: true,
            hasServerMoved: false)
        #expect(outcome == expected)
    }

    /// Nothing was left to reject.
    @Test func aStreamThatIsClosedAfterTheWholeBodyWasCut() throws {
        var request = HttpRequest(method: .post, url: Self.request.url)
        request.body = .data(Data([1]))
        var exchange = try Self.exchange(["HTTP/1.1 200 OK", ""])
        let message = "HTTP/2 stream 1 was not closed cleanly: STREAM_CLOSED (err 5)"
        let outcome = exchange.didEnd(
            CurlReport(result: CURLE_HTTP2_STREAM, message: message, writtenHead: 100, writtenBody: 1),
            HopPlan(request, CurlSettings(CurlConfiguration())), over: HopConnection(), mayReconnect: true,
            hasServerMoved: false)
        #expect(outcome == .failure)
    }

    @Test func aRefusedStreamWasNotProcessed() throws {
        var exchange = try Self.exchange()
        exchange.streamWasRefused()
        _ = exchange.admitSending(fallsBackToHttp1: false)
        #expect(!exchange.mayBeProcessed)
        let outcome = Self.end(&exchange, Self.failed)
        #expect(outcome == .lostConnection)
    }

    @Test func aRequestThatWasNotSentIsSentOverAnotherConnectionOnce() {
        var exchange = Exchange()
        #expect(!exchange.mayBeProcessed)
        let outcomes = [
            Self.end(&exchange, Self.lost), Self.end(&exchange, Self.lost, mayReconnect: false),
            Self.end(&exchange, Self.failed),
        ]
        #expect(outcomes == [.reconnectOnce, .lostConnection, .failure])
    }

    @Test(arguments: [
        (CURLE_COULDNT_CONNECT, true, Exchange.Outcome.reconnectOnce), (CURLE_COULDNT_CONNECT, false, .failure),
        (CURLE_OPERATION_TIMEDOUT, true, .reconnectOnce), (CURLE_SSL_CONNECT_ERROR, true, .failure),
    ])
    func aConnectToOldAddressesIsRepeatedOnce(result: CURLcode, hasServerMoved: Bool, expected: Exchange.Outcome) {
        var exchange = Exchange()
        let outcome = Self.end(&exchange, result, written: 0, hasServerMoved: hasServerMoved)
        #expect(outcome == expected)
        var sent = Exchange()
        _ = sent.didCheck(.send)
        let outcomeOfSent = Self.end(&sent, result, hasServerMoved: hasServerMoved)
        #expect(outcomeOfSent == .failure)
    }

    @Test func theFirstReasonCounts() throws {
        var exchange = try Self.exchange(Self.ok)
        exchange.abort(.partialFileRejected)
        exchange.fail(TransferFailure(.responseTooLarge, "later"))
        let outcome = Self.end(&exchange, Self.failed)
        #expect(outcome == .withoutRange)
        var failed = try Self.exchange(Self.ok)
        failed.fail(TransferFailure(.responseTooLarge, "first"))
        failed.abort(.expectationRejected)
        let outcomes = [Self.end(&failed, Self.failed), Self.end(&failed, Self.completed)]
        #expect(outcomes == [.failure, .failure])
    }

    /// A libcurl that reports no failure when the callback of the headers ends a hop.
    @Test func aRejectedRangeOrExpectationIsSentAgainWithoutIt() throws {
        for (reason, expected) in [
            (Exchange.AbortReason.partialFileRejected, Exchange.Outcome.withoutRange),
            (.expectationRejected, .withoutExpectation),
        ] {
            var exchange = try Self.exchange(Self.ok)
            exchange.abort(reason)
            let outcome = Self.end(&exchange, Self.completed)
            #expect(outcome == expected)
        }
    }
}
#endif
