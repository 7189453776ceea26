#if os(Linux)
import HttpMessages

/// One exchange with a server as a state machine: what the events of a hop mean. It has no I/O and no libcurl: ``Hop``
/// reports what libcurl's callbacks say, and does what the methods return. Each event is a separate method, because
/// libcurl's callbacks return different types.
struct Exchange {
    enum Head: Equatable {
        /// None, or only those of interim responses (1xx).
        case none
        case partial
        case complete
    }

    enum AbortReason {
        case failure(TransferFailure)
        /// The connection was unusable before the request was sent. A new one is needed.
        case reconnect
        /// The connection broke before a response. If libcurl would send the request again by itself, that is prevented.
        case lostConnection
        /// The response doesn't fit the partial file: the request is sent again without a range.
        case partialFileRejected
        /// The server rejected `Expect: 100-continue` (RFC 9110 §10.1.1).
        case expectationRejected
    }

    enum Line: Equatable {
        case statusLine
        case field
        case endOfInterim
        case endOfHead
        case trailer
    }

    /// Where the body of a response goes.
    enum BodyTarget: Equatable {
        case memory
        /// A temporary file, which replaces the destination in the end.
        case file
        /// The file of a download in several attempts; it has the whole body already if `isComplete`.
        case partialFile(isComplete: Bool)
        case stream
    }

    /// What libcurl gets when it asks for more of the request's body.
    enum ReadStep {
        case proceed
        case pause
        /// The body ends early.
        case end
        /// The hop ends: libcurl fails then, and a whole response is the result.
        case abort
    }

    /// What becomes of the request's body after a piece of the response.
    enum ResponseStep {
        case proceed
        /// Ends a pause: libcurl asks for more of the body.
        case resume
        /// The hop ends: libcurl fails then, and a whole response is the result.
        case abort
    }

    /// What made a hop fail besides the server and the network.
    enum Culprit {
        case proxy
        /// The server rejected the client certificate, or requires one that the client has not shown.
        case clientCertificate
    }

    private(set) var hasStartedSending = false
    /// Whether libcurl doesn't report when it begins to send the request (before 7.80).
    var isSendingUnreported = false
    private(set) var head = Head.none
    /// The framing in the last head; nil before its status line.
    private(set) var framing: ResponseFraming?
    /// Bytes of all header lines, interim responses and trailers included.
    private(set) var headerSize = 0
    /// Whether the next piece that ``admitLine(_:)`` gets continues the line of the last one.
    private var isInLine = false
    /// Whether the server did not process the request (RFC 9113 §8.7): it refused the stream, or excluded it by GOAWAY.
    private(set) var isUnprocessed = false
    /// Whether the server processes the request over HTTP/1.1 only.
    private(set) var requiresHttp1 = false
    /// Why a callback ended the hop; the first reason.
    private(set) var abortReason: AbortReason?
    /// Known after the end of the hop.
    private(set) var culprit: Culprit?

    /// The status of the last head; 0 before one was received.
    var status: Int { framing?.status ?? 0 }

    /// Whether anything was received, interim responses (1xx) included.
    var hasResponseStarted: Bool { headerSize > 0 }

    /// Whether the head of the response to the request itself has begun. An interim response is none: a connection that
    /// ends after it ends before a response.
    var hasFinalResponseStarted: Bool { framing.map { !$0.isInterim } ?? false }

    /// Whether the response to the request itself has a complete head.
    var hasCompleteHead: Bool { head == .complete }

    /// Whether the server may have processed the request.
    var mayBeProcessed: Bool { (hasStartedSending || isSendingUnreported) && !isUnprocessed }

    // MARK: Sending

    /// Returns whether libcurl may open a socket or send the request. After it has started to send it, ends the hop
    /// instead.
    ///
    /// If a connection breaks without a byte of a response, libcurl sends any method again by itself. It is unknown
    /// whether the server processed the request, so the sending ends, and its caller decides about another.
    ///
    /// - Parameter fallsBackToHttp1: whether libcurl sends it again because the server requires HTTP/1.1.
    mutating func admitSending(fallsBackToHttp1: @autoclosure () -> Bool) -> Bool {
        guard hasStartedSending else { return true }
        abort(.lostConnection)
        if !hasResponseStarted, fallsBackToHttp1() { (requiresHttp1, isUnprocessed) = (true, true) }
        return false
    }

    /// Records whether the connection that libcurl has chosen can be used. Returns whether the request is sent over it.
    mutating func didCheck(_ check: Connection.Check) -> Bool {
        switch check {
        case .send: hasStartedSending = true
        case .reconnect: abort(.reconnect)
        case .closed: abort(.lostConnection)
        case .unsolicitedData: fail(.invalidResponse("the server sent data before the first request"))
        }
        return check == .send
    }

    /// Decides when libcurl asks for more of the request's body.
    ///
    /// - Parameters:
    ///   - knowsLength: whether libcurl knows the length of the response.
    ///   - mayEndEarly: whether libcurl accepts a body that ends here.
    func stepOfReading(
        hasWholeResponse: @autoclosure () -> Bool, knowsLength: @autoclosure () -> Bool, mayEndEarly: Bool
    ) -> ReadStep {
        guard isRejected else { return .proceed }
        if hasWholeResponse() { return .abort }
        // libcurl ends the hop at the end of a response of known length. Otherwise the request's body ends, so that libcurl
        // waits for the response alone. A libcurl that fails for a short body waits until the server closes the connection.
        return !knowsLength() && mayEndEarly ? .end : .pause
    }

    /// Decides after a piece of the response.
    ///
    /// After a whole response, the hop ends if libcurl doesn't know that it is whole. It also ends if the request's body has
    /// no bytes yet, or waits for a 100 (Continue): libcurl would keep a connection on which the server still waits for the
    /// body. A server that has rejected the request reads no more of it: libcurl stops sending by itself, unless sending is
    /// paused or the server closes the connection.
    func stepAfterResponse(
        isWhole: Bool, hasBody: @autoclosure () -> Bool, isBodyWaiting: @autoclosure () -> Bool
    ) -> ResponseStep {
        if isWhole, framing?.namesIdentity == true { return .abort }
        if isRejected { return hasBody() ? .resume : .proceed }
        return isWhole && isBodyWaiting() ? .abort : .proceed
    }

    /// The server has refused the stream (RFC 9113 §8.7).
    mutating func streamWasRefused() {
        isUnprocessed = true
    }

    /// Records that libcurl must send the body again and that it can't be read twice.
    mutating func rewindFailed() {
        // Without a response, the connection broke: libcurl 8 rewinds the body before it opens another connection.
        abort(
            hasFinalResponseStarted
                ? .failure(
                    TransferFailure(
                        .bodyAlreadySent, "the body would have to be sent again, and is a stream that was read"))
                : .lostConnection)
    }

    // MARK: Receiving

    /// Decides whether libcurl may process a line of a head (``LibcurlWorkarounds/keepsLastHeader``): not a folded one that
    /// continues no field. The line follows in ``receive(line:to:limit:mayBeHttp2:)``.
    ///
    /// - Parameter piece: the line, or a part of a long one.
    mutating func admitLine(_ piece: UnsafeRawBufferPointer) -> Bool {
        let isStart = !isInLine
        isInLine = piece.last != UInt8(ascii: "\n")
        guard isStart, piece.first == UInt8(ascii: " ") || piece.first == UInt8(ascii: "\t"),
            framing?.hasFields != true
        else { return true }
        fail(ResponseFraming.foldedFirstLine)
        return false
    }

    /// Processes a header line, including its line end.
    ///
    /// - Parameters:
    ///   - request: the request that was sent.
    ///   - limit: the most bytes of all header lines.
    ///   - mayBeHttp2: whether the connection may speak HTTP/2.
    mutating func receive(
        line: UnsafeRawBufferPointer, to request: HttpRequest, limit: Int, mayBeHttp2: Bool
    ) throws(TransferFailure) -> Line {
        guard line.count <= limit - headerSize else {
            throw TransferFailure(
                .headersTooLarge, "the headers are larger than maxHeaderSize, \(limit) bytes")
        }
        headerSize += line.count
        switch head {
        // Fields after the body (RFC 9110 §6.5) are not headers.
        case .complete: return .trailer
        case .none:
            framing = try ResponseFraming(statusLine: line, of: request, mayBeHttp2: mayBeHttp2)
            head = .partial
            return .statusLine
        case .partial where line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n"):
            // A bare CR ends no line (RFC 9112 §2.2).
            guard line.count == 1 || line.count == 2 && line[1] == UInt8(ascii: "\n") else {
                throw .invalidResponse("a line of the headers begins with a carriage return")
            }
            try framing?.end(of: request)
            head = framing?.isInterim == true ? .none : .complete
            return hasCompleteHead ? .endOfHead : .endOfInterim
        case .partial:
            try framing?.take(line)
            return .field
        }
    }

    /// Decides where the body goes, when the final head is complete: for an accepted success to the request's destination,
    /// for other responses to memory. Returns nil if the hop ends instead.
    ///
    /// - Parameter resumption: what the partial file says of the head; nil without one.
    mutating func bodyTarget(
        of request: HttpRequest, _ destination: BodyDestination, isAccepted: (_ status: Int) -> Bool,
        resumption: @autoclosure () -> PartialFile.Resumption?
    ) -> BodyTarget? {
        // libcurl would repeat the request over this connection, where the server may still wait for the first body
        // (RFC 9110 §10.1.1).
        if status == 417, request.expectsContinue {
            abort(.expectationRejected)
            return nil
        }
        let undeclaredPart = framing?.undeclaredPart
        switch destination {
        // A 416 may mean that the partial file is complete: its status is 206 then.
        case .file where request.method != .head && (isAccepted(status) || status == 416):
            switch resumption() {
            case .rejected: return .memory
            case .write: return .partialFile(isComplete: false)
            case .whole where !isAccepted(206): return .memory
            case .whole: return .partialFile(isComplete: true)
            case .startAgain where undeclaredPart == nil: abort(.partialFileRejected)
            case .startAgain: fail(.invalidResponse(UndeclaredPart.reason))
            case nil where undeclaredPart?.isRequested == false: fail(.invalidResponse(UndeclaredPart.reason))
            // 204 and 205 have no content (RFC 9110 §15.3.5), so the file stays as it is.
            case nil: return isAccepted(status) && status != 204 && status != 205 ? .file : .memory
            }
            return nil
        case _ where undeclaredPart?.isRequested == false:
            fail(.invalidResponse(UndeclaredPart.reason))
            return nil
        case .stream where isAccepted(status) && request.method != .head: return .stream
        case .memory, .file, .stream: return .memory
        }
    }

    /// Whether the final response is not a success: a status of 300 or more. The server reads no more of the request's
    /// body.
    var isRejected: Bool { hasCompleteHead && status >= 300 }

    // MARK: Completion

    /// Records why a callback ends the hop. Only the first reason is kept.
    mutating func abort(_ reason: AbortReason) {
        if abortReason == nil { abortReason = reason }
    }

    mutating func fail(_ failure: TransferFailure) {
        abort(.failure(failure))
    }

    /// How a hop ended, or how its request is sent again.
    enum Outcome: Equatable {
        /// A response with a complete head, maybe a redirect.
        case response
        /// The connection ended within the head.
        case truncatedHead
        /// The failure of ``abortReason``, or libcurl's.
        case failure
        /// The kept connection can't be used. The request is sent over a new one: nothing was sent.
        case reconnect
        /// The connection or the stream ended before a response.
        case lostConnection
        /// The connection died before anything was sent, for the first time: the request is sent over another one.
        case reconnectOnce
        case withoutRange
        case withoutExpectation
    }

    /// Records the end of the hop, without a whole response. Returns what it means.
    ///
    /// - Parameters:
    ///   - mayReconnect: whether the request may be sent over another connection if nothing was sent.
    ///   - hasServerMoved: whether a failed connect may have gone to addresses that the server has left.
    mutating func didEnd(
        _ report: CurlReport, _ plan: HopPlan, over connection: HopConnection, mayReconnect: Bool,
        hasServerMoved: @autoclosure () -> Bool
    ) -> Outcome {
        culprit = report.culprit(self, plan)
        if connection.isExcluded || culprit == .clientCertificate && report.isUnread(plan) { isUnprocessed = true }
        if connection.isExcluded, connection.used?.requiresHttp1 == true { requiresHttp1 = true }
        if !hasResponseStarted, report.hasSentNothing(plan, isHttp1: connection.used?.isHttp1 == true) {
            hasStartedSending = false
        }
        var completion = report.completion
        // A server that has got the whole body has nothing to reject: it has cut its response.
        let body = plan.request.body
        let hasUnsentRest = !body.isEmpty && report.writtenBody < body.length ?? .max
        if report.hasEndedResponse, hasUnsentRest { completion = .completed }
        if report.mayBeFailedConnect, !hasStartedSending, hasServerMoved() { completion = .connectionLost }
        return outcome(culprit == nil ? completion : .failed, mayReconnect: mayReconnect)
    }

    private func outcome(_ completion: CurlReport.Completion, mayReconnect: Bool) -> Outcome {
        let hasResponse = completion == .completed && hasFinalResponseStarted
        return switch abortReason {
        case .failure: .failure
        case .partialFileRejected: .withoutRange
        case .expectationRejected: .withoutExpectation
        case _ where hasResponse: hasCompleteHead ? .response : .truncatedHead
        case .reconnect: .reconnect
        case nil where completion == .failed: .failure
        case nil where hasFinalResponseStarted, .lostConnection where hasFinalResponseStarted: .failure
        case .lostConnection, nil:
            mayReconnect && !hasStartedSending && !isSendingUnreported ? .reconnectOnce : .lostConnection
        }
    }
}
#endif
