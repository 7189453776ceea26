#if os(Linux)
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Request bodies that asynchronous sequences bring.
@Suite(.timeLimit(.minutes(1)))
struct CurlStreamedUploadTests {
    private struct Broken: Error, Equatable {}

    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/up", respond: .text("ok"))
        // On a busy machine the server may stop reading for longer than 20 s.
        sender = try makeSender { $0.connections.tcpUserTimeout = nil }
    }

    private func sent(_ body: RequestBody) async throws -> LoopbackRequest {
        #expect(try await sender.text(.put, server.url("/up"), body: body) == "ok")
        return try #require(server.requests.last)
    }

    @Test(arguments: [1, 1000, 65_536, 300_000, 3_000_000])
    func aStreamOfAKnownLengthArrivesWhole(size: Int) async throws {
        let pieces = Pieces(Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }), count: 3)
        let request = try await sent(.stream(pieces, length: pieces.length))
        #expect(request.body == Array(pieces.piece + pieces.piece + pieces.piece))
        #expect(request.headers["Content-Length"] == "\(3 * size)")
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    @Test(arguments: [1, 1000, 65_536, 300_000, 3_000_000])
    func aStreamOfAnUnknownLengthArrivesWholeInChunks(size: Int) async throws {
        let pieces = Pieces(Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }), count: 3)
        let request = try await sent(.stream(pieces))
        #expect(request.body == Array(pieces.piece + pieces.piece + pieces.piece))
        #expect(request.headers["Content-Length"] == nil)
        #expect(request.headers["Transfer-Encoding"] == "chunked")
    }

    @Test func piecesMayBeArraysAndEmpty() async throws {
        let pieces = Listed<[UInt8]>(elements: [[], [1, 2], [], [], [3], []])
        #expect(try await sent(.stream(pieces)).body == [1, 2, 3])
        #expect(try await sent(.stream(pieces, length: 3)).body == [1, 2, 3])
    }

    @Test func aStreamMayBeOfNoBytes() async throws {
        let nothing = Listed<Data>(elements: [])
        #expect(try await sent(.stream(nothing)).body == [])
        let request = try await sent(.stream(nothing, length: 0))
        #expect(request.headers["Content-Length"] == "0")
    }

    @Test func theStreamOfAnAnswerIsABody() async throws {
        let bytes = [UInt8](repeating: 7, count: 2_000_000)
        server.on(.get, "/down", respond: .bytes(bytes))
        let answer = try await sender.send(.get, server.url("/down"), options: RequestOptions(destination: .stream))
            .value
        #expect(try await sent(.stream(#require(answer.bytes), length: 2_000_000)).body == bytes)
    }

    @Test(arguments: [true, false])
    func theSequenceIsAskedForNoMoreThanGoesOut(isLengthKnown: Bool) async throws {
        let pieces = Pieces(Data(count: 65_536), count: 4096)
        server.whileReceiving(.put, "/up", .discard)
        server.whileReceiving(.put, "/slow", .stopReading(afterBytes: 100_000))
        server.on(.put, "/slow", respond: .text("ok"))
        let answer = sender.send(
            .put, server.url("/slow"), body: .stream(pieces, length: isLengthKnown ? pieces.length : nil))
        try await server.waitForReceivedBytes(100_000)
        // Other requests over the same thread take their time, in which the sequence would get on.
        for _ in 0..<200 { #expect(try await sender.text(.put, server.url("/up")) == "ok") }
        // What the system's buffers of both sides take.
        #expect(pieces.record.asked < 512, "\(pieces.record.asked)")
        answer.cancel()
    }

    @Test func aPieceIsAskedForWhenTheOneBeforeHasGoneOut() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let answer = sender.send(.put, server.url("/up"), body: .stream(stream))
        for size in [3, 70_000, 1] {
            let before = server.counts.bytesReceived
            continuation.yield(Data(count: size))
            try await server.waitForReceivedBytes(before + size)
        }
        continuation.finish()
        #expect(try await answer.value.text == "ok")
        #expect(server.requests.last?.bodyLength == 70_004)
    }

    // MARK: What goes wrong

    @Test(arguments: [nil, 5_000_000] as [Int64?])
    func anErrorOfTheSequenceIsTheCause(length: Int64?) async throws {
        let pieces = Pieces(Data(count: 1_000_000), count: 2, end: .error(Broken()))
        let error = try await sender.expectFailure(
            .uploadFailed, .put, server.url("/up"), body: .stream(pieces, length: length))
        #expect(error.cause as? Broken == Broken())
        #expect(error.reason == "the body's sequence threw: Broken()")
        try await server.waitForIncompleteRequests(1)
        #expect(server.counts.requests == 0)
    }

    @Test func anotherNumberOfBytesThanAnnouncedIsAnError() async throws {
        let short = try await sender.expectFailure(
            .bodyLengthMismatch, .put, server.url("/up"),
            body: .stream(Pieces(Data(count: 1000), count: 3), length: 3001)
        )
        #expect(short.reason == "the body's sequence ended after 3000 bytes, 3001 were announced")
        try await server.waitForIncompleteRequests(1)
        for count in [3, 4] {
            let long = try await sender.expectFailure(
                .bodyLengthMismatch, .put, server.url("/up"),
                body: .stream(Pieces(Data(count: 1000), count: count), length: count == 3 ? 2999 : 3000))
            #expect(
                long.reason
                    == "the body's sequence brought more than the \(count == 3 ? 2999 : 3000) bytes that were announced"
            )
        }
        try await server.waitForIncompleteRequests(3)
        #expect(server.counts.requests == 0)
    }

    @Test func aNegativeLengthIsRefused() async throws {
        let error = try await sender.expectFailure(
            .invalidRequest, .put, server.url("/up"), body: .stream(Pieces(Data([1]), count: 1), length: -1))
        #expect(error.reason == "the length of the body is negative")
    }

    @Test func aCancelCancelsTheSequence() async throws {
        let pieces = Pieces(Data(count: 1000), count: 1, end: .nothing)
        let answer = sender.send(.put, server.url("/up"), body: .stream(pieces))
        try await server.waitForReceivedBytes(1000)
        answer.cancel()
        try await pieces.record.canceled()
        try await server.waitForConnections(open: 0)
    }

    @Test(arguments: [1, 1000], [nil, "close"])
    func anAnswerBeforeTheBodysEndIsTheAnswerAndCancelsTheSequence(count: Int, connection: String?) async throws {
        var refusal = LoopbackResponse.text("too large", status: 413)
        if let connection { refusal = refusal.header("Connection", connection) }
        server.whileReceiving(.put, "/early", .answer(afterBytes: 1000, refusal))
        let pieces = Pieces(Data(count: 1000), count: count, end: .nothing)
        let answer = try await sender.send(.put, server.url("/early"), body: .stream(pieces)).value
        #expect((answer.status, answer.text) == (413, "too large"))
        if count > 1 { return }
        try await pieces.record.canceled()
    }

    /// The server responds with `Connection: close` to a body that never ends.
    @Test(arguments: [200, 413])
    func aCompleteEarlyResponseEndsTheSending(status: Int) async throws {
        server.whileReceiving(.put, "/early", .answer(afterBytes: 1000, .text("early", status: status)))
        let endless = Pieces(Data(count: 1000), count: .max)
        let received = try await sender.send(.put, server.url("/early"), body: .stream(endless)).value
        #expect((received.status, received.text) == (status, "early"))
        try await endless.record.canceled()
    }

    /// The server keeps the connection, and the sequence has nothing more.
    @Test(
        arguments: [
            "200 OK\r\nContent-Length: 2\r\n\r\nok", "204 No Content\r\n\r\n",
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        ], [nil, 1 << 20] as [Int64?])
    func aWholeResponseEndsASequenceThatWaits(response: String, length: Int64?) async throws {
        for destination in [BodyDestination.memory, .stream] {
            let server = try LoopbackServer()
            let pieces = Pieces(Data(count: 1000), count: 1, end: .nothing)
            let answer = sender.send(
                .put, server.url("/up"), body: .stream(pieces, length: length),
                options: RequestOptions(destination: destination))
            try await server.waitForReceivedBytes(1000)
            let connection = try #require(server.openConnections.first)
            try await server.send(Array("HTTP/1.1 \(response)".utf8), onConnection: connection)
            let received = try await answer.value
            var text = received.text
            for try await piece in received.bytes ?? ByteStream(Data()) {
                text += String(decoding: piece, as: UTF8.self)
            }
            #expect(text == (response.hasPrefix("204") ? "" : "ok"))
            try await pieces.record.canceled()
        }
    }

    /// The server responds while it reads a piece, and the sequence has nothing more after it.
    @Test func aWholeResponseEndsASequenceThatWaitsLater() async throws {
        let size = 8_000_000
        server.whileReceiving(.put, "/up", .stopReading(afterBytes: 100_000))
        let pieces = Pieces(Data(count: size), count: 1, end: .nothing)
        let answer = sender.send(.put, server.url("/up"), body: .stream(pieces))
        try await server.waitForReceivedBytes(100_000)
        let connection = try #require(server.openConnections.first)
        try await server.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), onConnection: connection)
        server.resumeReading()
        #expect(try await answer.value.text == "ok")
        try await pieces.record.canceled()
    }

    /// The server responds in the middle of the body, and reads the rest later.
    @Test func aWholeResponseCutsNoBodyThatHasBytes() async throws {
        let body = Data(repeating: 7, count: 20_000_000)
        server.whileReceiving(.put, "/up", .stopReading(afterBytes: 100_000))
        let answer = sender.send(.put, server.url("/up"), body: .data(body))
        try await server.waitForReceivedBytes(100_000)
        let connection = try #require(server.openConnections.first)
        try await server.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), onConnection: connection)
        server.resumeReading()
        #expect(try await answer.value.text == "ok")
        // The system may still have a part of the body.
        await eventually("the server has the whole body") { server.requestCount("/up") == 1 }
        #expect(server.requests("/up").last?.body.count == body.count)
    }

    /// The server redirects after the head, and the body waits.
    @Test(arguments: [true, false], ["", "Connection: close\r\n"])
    func anEarlyRedirectIsFollowed(waits: Bool, header: String) async throws {
        let pieces = Pieces(Data(count: 1000), count: waits ? 1 : .max, end: .nothing)
        let head = "HTTP/1.1 303 See Other\r\nLocation: /end\r\nContent-Length: 2\r\n\(header)\r\nno"
        server.whileReceiving(.put, "/start", .answer(afterBytes: 1000, .raw(head)))
        server.on(.get, "/end", respond: .text("end"))
        let response = try await sender.send(.put, server.url("/start"), body: .stream(pieces)).value
        #expect((response.status, response.text) == (200, "end"))
        try await pieces.record.canceled()
    }

    /// The stream of the early response is read after the connection was reset.
    @Test func bytesThatNoReaderTookMakeNoWholeBody() async throws {
        let size = 1 << 20 + 8000
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        server.whileReceiving(
            .put, "/early", .answer(afterBytes: 1000, .raw(Array(head.utf8) + [UInt8](repeating: 7, count: size))))
        for _ in 0..<5 {
            let endless = Pieces(Data(count: 1000), count: .max)
            let response = try await sender.send(
                .put, server.url("/early"), body: .stream(endless), options: RequestOptions(destination: .stream)
            ).value
            try await server.waitForConnections(open: 0)
            for _ in 0..<20 { _ = try await sender.send(.get, server.url("/other")).value }
            var count = 0
            do {
                for try await piece in try #require(response.bytes) { count += piece.count }
                #expect(count == size)
            } catch let error as TransportError {
                #expect(count < size && error.code == .truncatedResponse)
            }
        }
    }

    /// Closed by its server, or in chunks of which the last comes alone: nothing tells of the end before it comes.
    @Test(arguments: [false, true], [nil, 1 << 30] as [Int64?])
    func aRefusalOfUnknownLengthIsTheAnswerAndCancelsTheSequence(isChunked: Bool, length: Int64?) async throws {
        let head = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n"
        let first = head + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n9\r\ntoo large\r\n" : "\r\ntoo large")
        let refusal = LoopbackResponse.raw(first + (isChunked ? "0\r\n\r\n" : ""))
            .dripping(first.utf8.count, every: .milliseconds(20)).closing()
        server.whileReceiving(.put, "/early", .answer(afterBytes: 1000, refusal))
        let pieces = Pieces(Data(count: 1000), count: 1, end: .nothing)
        let body = RequestBody.stream(pieces, length: length)
        let answer = try await sender.send(.put, server.url("/early"), body: body).value
        #expect((answer.status, answer.text) == (413, "too large"))
        try await pieces.record.canceled()
    }

    @Test func aRefusalThatStopsInTheMiddleIsAStallAlthoughTheSequenceWaits() async throws {
        let sender = try makeSender { $0.timeouts.stall = .seconds(1) }
        let refusal = LoopbackResponse.text(String(repeating: "x", count: 1000), status: 413).stalling(afterBytes: 500)
        server.whileReceiving(.put, "/early", .answer(afterBytes: 1000, refusal))
        let pieces = Pieces(Data(count: 1000), count: 1, end: .nothing)
        try await sender.expectFailure(.stalled, .put, server.url("/early"), body: .stream(pieces))
        try await pieces.record.canceled()
    }

    @Test func aClosedSenderCancelsTheSequence() async throws {
        let pieces = Pieces(Data(count: 1000), count: 1, end: .nothing)
        let answer = sender.send(.put, server.url("/up"), body: .stream(pieces))
        try await server.waitForReceivedBytes(1000)
        sender.close()
        #expect((await answer.end().error as? TransportError)?.code == .senderClosed)
        try await pieces.record.canceled()
    }

    @Test func aBodyOfARequestThatNeverBeganIsNotRead() async throws {
        let pieces = Pieces(Data(count: 1000), count: 1)
        let url = try ClosedPort.url()
        let body = RequestBody.stream(pieces)
        try await sender.expectFailure(.connectionRefused, .put, url, body: body)
        #expect(pieces.record.asked == 0)
        #expect(try await sent(body).bodyLength == 1000)
    }

    // MARK: It can be read once

    @Test func aSecondSendingIsRefusedBeforeAnythingIsSent() async throws {
        let body = RequestBody.stream(Pieces(Data(count: 10), count: 1))
        _ = try await sent(body)
        let error = try await sender.expectFailure(.bodyAlreadySent, .put, server.url("/up"), body: body)
        #expect(error.reason == "the body is a stream, which can be read once, and was read before")
        #expect(server.counts.requests == 1)
    }

    @Test(arguments: [307, 308])
    func aRedirectThatAsksForItAgainIsAnError(status: Int) async throws {
        server.on(.put, "/from", respond: .redirect(to: "/up", status: status))
        let error = try await sender.expectFailure(
            .bodyAlreadySent, .put, server.url("/from"), body: .stream(Pieces(Data(count: 10), count: 1)))
        #expect(
            error.reason
                == "a redirect with status \(status) asks for the body again, which is a stream that was read")
        #expect(server.requestCount("/up") == 0)
    }

    @Test func aRedirectThatTurnsIntoAGetIsFollowed() async throws {
        server.on(.post, "/from", respond: .redirect(to: "/up", status: 303))
        let body = RequestBody.stream(Pieces(Data(count: 10), count: 1))
        #expect(try await sender.text(.post, server.url("/from"), body: body) == "ok")
        #expect(server.requests.map(\.bodyLength) == [10, 0])
    }

    @Test func aConnectionThatDiesOnReuseIsAnError() async throws {
        for death in [LoopbackResponse.close, .reset] {
            server.on(.any, "/dying", inOrder: [.text("first"), death, .text("again")])
            server.forgetRequests()
            #expect(try await sender.text(.get, server.url("/dying")) == "first")
            let error = try await sender.expectFailure(
                .connectionLost, .put, server.url("/dying"), body: .stream(Pieces(Data(count: 10), count: 1)))
            #expect(
                error.reason
                    == "the connection was lost before a response; the body is a stream, which can't be sent again")
            #expect(server.requests.count == 2)
        }
    }

    // MARK: Progress

    @Test(arguments: [true, false])
    func progressIsTold(isLengthKnown: Bool) async throws {
        let steps = Gathered<TransferProgress>()
        let pieces = Pieces(Data(count: 1_000_000), count: 8)
        server.whileReceiving(.put, "/up", .discard)
        _ = try await sender.send(
            .put, server.url("/up"), body: .stream(pieces, length: isLengthKnown ? pieces.length : nil),
            options: RequestOptions { steps.append($0) }
        ).value
        #expect(
            steps.all.last
                == TransferProgress(
                    sent: 8_000_000, totalToSend: isLengthKnown ? 8_000_000 : nil, received: 2, totalToReceive: 2))
        #expect(steps.all.map(\.sent) == steps.all.map(\.sent).sorted())
    }
}
#endif
