#if os(Linux)
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Downloads that go on where the last one broke off.
@Suite(.timeLimit(.minutes(1)))
struct CurlResumeTests {
    private static let size = 3_000_000
    private static let bytes = pattern(size)

    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder
    private let file: URL

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
        folder = try TestFolder()
        file = folder.url.appending(path: "target.bin")
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    private var partialSize: Int {
        (try? Data(contentsOf: folder.url.appending(path: "target.bin.partial")).count) ?? 0
    }

    private let options = ["target.bin.partial", "target.bin.partial-info"]

    private func load(_ path: String = "/a", headers: HttpHeaders = [:]) -> Observer<HttpResponse> {
        sender.send(.get, server.url(path), headers: headers, options: resuming())
    }

    private func resuming(_ onProgress: (@Sendable (TransferProgress) -> Void)? = nil) -> RequestOptions {
        RequestOptions(destination: .file(file, resuming: true), onProgress: onProgress)
    }

    /// Breaks off a first answer with these headers in the middle of its body.
    private func breakOff(_ headers: [(String, String)] = [("ETag", "\"one\"")], status: Int = 200) async throws {
        var answer = LoopbackResponse.bytes(Self.bytes, status: status)
        for (name, value) in headers { answer = answer.header(name, value) }
        server.on(.get, "/a", respond: answer.closing(afterBytes: 1_000_000))
        let error = await load().end().error as? TransportError
        #expect(error?.code == .truncatedResponse)
    }

    /// The rest from a place on, as a server sends it.
    private func rest(from start: Int, of bytes: [UInt8] = bytes, tag: String = "\"one\"") -> LoopbackResponse {
        .bytes(Array(bytes[start...]), status: 206)
            .header("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)").header("ETag", tag)
    }

    /// Answers from now on with the rest that was asked for.
    private func serveTheRest() {
        server.on(.get, "/a") { request in
            let range = request.headers["Range"].map { $0.filter(\.isNumber) } ?? "0"
            return rest(from: Int(range) ?? 0)
        }
    }

    @Test func aDownloadGoesOnWhereItBrokeOff() async throws {
        try await breakOff()
        #expect(try names == options)
        let there = partialSize
        #expect(there > 900_000)
        serveTheRest()
        let last = Mutex<TransferProgress?>(nil)
        let answer = try await sender.send(
            .get, server.url("/a"), options: resuming { step in last.withLock { $0 = step } }
        ).value
        #expect((answer.status, answer.file) == (206, file))
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
        #expect(try names == ["target.bin"])
        let request = try #require(server.requests.last)
        #expect(request.headers["Range"] == "bytes=\(there)-")
        #expect(request.headers["If-Range"] == "\"one\"")
        let missing = Int64(Self.size - there)
        #expect(
            last.withLock { $0 }
                == TransferProgress(
                    sent: 0, totalToSend: nil, received: missing, totalToReceive: missing,
                    alreadyReceived: Int64(there)))
    }

    @Test func anEntityTagIsReturnedByteForByte() async throws {
        let tag: [UInt8] = [0x22, 0x76, 0xE9, 0x22]
        func answer(_ line: String, _ fields: String, _ body: [UInt8]) -> LoopbackResponse {
            .raw(Array("HTTP/1.1 \(line)\r\n\(fields)\r\nETag: ".utf8) + tag + Array("\r\n\r\n".utf8) + body)
        }
        server.on(.get, "/a", respond: answer("200 OK", "Content-Length: 9", Array("start".utf8)).closing())
        #expect((await load().end().error as? TransportError)?.code == .truncatedResponse)
        let range = "Content-Length: 4\r\nContent-Range: bytes 5-8/9"
        server.on(.get, "/a", respond: answer("206 Partial Content", range, Array("rest".utf8)))
        let response = try await load().value
        #expect((response.status, response.headers["ETag"]) == (206, "\"v\u{E9}\""))
        #expect(try Data(contentsOf: file) == Data("startrest".utf8))
        let sent = try #require(server.requests.last).headers.fields
        #expect(sent.first { $0.name == "If-Range" }?.valueBytes == tag)
        #expect(sent.first { $0.name == "Range" }?.value == "bytes=5-")
    }

    @Test func theFirstRequestAsksForAllAndForNoCompression() async throws {
        server.on(.get, "/a", respond: .bytes(Self.bytes))
        #expect(try await load().value.status == 200)
        let request = try #require(server.requests.first)
        #expect(request.headers["Range"] == nil)
        #expect(request.headers["If-Range"] == nil)
        #expect(request.headers["Accept-Encoding"] == "identity")
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
        #expect(try names == ["target.bin"])
    }

    @Test func itMayBreakOffAnyNumberOfTimes() async throws {
        try await breakOff()
        for _ in 0..<3 {
            let there = partialSize
            server.on(.get, "/a", respond: rest(from: there).closing(afterBytes: 300_000))
            #expect((await load().end().error as? TransportError)?.code == .truncatedResponse)
            #expect(partialSize > there)
        }
        serveTheRest()
        #expect(try await load().value.status == 206)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }

    @Test func aCancelKeepsWhatHasCome() async throws {
        server.hold("/a")
        let answer = load()
        let exchange = try await server.nextRequest("/a")
        exchange.sendHead(headers: ["Content-Length": "\(Self.size)", "ETag": "\"one\""])
        exchange.sendBody(Array(Self.bytes[..<700_000]))
        await eventually("a piece is there") { partialSize > 0 }
        answer.cancel()
        try await exchange.clientClosed()
        serveTheRest()
        #expect(try await load().value.status == 206)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }

    @Test func aFileThatChangedIsLoadedAnew() async throws {
        try await breakOff()
        let other = [UInt8](repeating: 9, count: 500_000)
        server.on(.get, "/a", respond: .bytes(other).header("ETag", "\"two\""))
        #expect(try await load().value.status == 200)
        #expect(server.requests.last?.headers["If-Range"] == "\"one\"")
        #expect(try Data(contentsOf: file) == Data(other))
        #expect(try names == ["target.bin"])
    }

    @Test func anAnswerThatBreaksOffAnewIsGoneOnWith() async throws {
        try await breakOff()
        try await breakOff([("ETag", "\"two\"")])
        #expect(server.requests.last?.headers["If-Range"] == "\"one\"")
        server.on(.get, "/a", respond: rest(from: partialSize, tag: "\"two\""))
        #expect(try await load().value.status == 206)
        #expect(server.requests.last?.headers["If-Range"] == "\"two\"")
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }

    // MARK: Validators

    @Test func aDateIsAValidatorWhenItIsOlderThanTheAnswer() async throws {
        let modified = "Sat, 21 Nov 2026 10:00:00 GMT"
        try await breakOff([("Last-Modified", modified), ("Date", "Sat, 21 Nov 2026 10:00:01 GMT")])
        serveTheRest()
        #expect(try await load().value.status == 206)
        #expect(server.requests.last?.headers["If-Range"] == modified)
    }

    @Test(arguments: [
        [],
        [("ETag", "W/\"one\"")],
        [
            ("ETag", "W/\"one\""), ("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT"),
            ("Date", "Sat, 21 Nov 2026 11:00:00 GMT"),
        ],
        [("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT"), ("Date", "Sat, 21 Nov 2026 10:00:00 GMT")],
        [("Last-Modified", "yesterday"), ("Date", "Sat, 21 Nov 2026 10:00:00 GMT")],
        [("ETag", "\"one\""), ("Accept-Ranges", "none")],
    ])
    func withoutAStrongValidatorNothingIsKept(headers: [(String, String)]) async throws {
        try await breakOff(headers)
        #expect(try names == [])
        server.on(.get, "/a", respond: .bytes(Self.bytes))
        #expect(try await load().value.status == 200)
        #expect(server.requests.last?.headers["Range"] == nil)
    }

    @Test func ofACompressedAnswerNothingIsKept() async throws {
        server.on(
            .get, "/a",
            respond: .bytes([UInt8](repeating: 1, count: 900_000)).header("ETag", "\"one\"")
                .header("Content-Encoding", "gzip"))
        #expect((await load().end().error as? TransportError)?.code == .invalidContentEncoding)
        #expect(try names == [])
    }

    // MARK: Answers that don't fit

    /// How a server answers a range wrongly; `$0` is where the part ends.
    struct Misfit: Sendable {
        let name: String
        let answer: @Sendable (Int) -> LoopbackResponse
    }

    static let misfits = [
        Misfit(name: "another place") { there in
            .bytes(Array(bytes[(there - 10)...]), status: 206)
                .header("Content-Range", "bytes \(there - 10)-\(size - 1)/\(size)")
        },
        Misfit(name: "another size") { there in
            .bytes([UInt8](repeating: 1, count: 10), status: 206)
                .header("Content-Range", "bytes \(there)-\(there + 9)/\(there + 10)")
        },
        Misfit(name: "another tag") { there in
            .bytes(Array(bytes[there...]), status: 206).header("ETag", "\"two\"")
                .header("Content-Range", "bytes \(there)-\(size - 1)/\(size)")
        },
        Misfit(name: "no range") { there in .bytes(Array(bytes[there...]), status: 206) },
        Misfit(name: "compressed") { there in
            .bytes(Array(bytes[there...]), status: 206).header("Content-Encoding", "br")
                .header("Content-Range", "bytes \(there)-\(size - 1)/\(size)")
        },
        Misfit(name: "several parts") { _ in
            .bytes([1, 2, 3], contentType: "multipart/byteranges; boundary=x", status: 206)
        },
        Misfit(name: "416 of a smaller file") { _ in
            LoopbackResponse.status(416).header("Content-Range", "bytes */10")
        },
        Misfit(name: "416 that says nothing") { _ in .text("no", status: 416) },
    ]

    /// Such a part may be less than the rest, so it can't complete the file.
    @Test func aRestOfUnknownSizeMakesItStartAgain() async throws {
        server.onExchange(.get, "/a") { exchange in
            exchange.sendHead(headers: ["ETag": "\"one\""])
            exchange.sendBody(Array(Self.bytes[..<1_000_000]))
            exchange.close()
        }
        #expect((await load().end().error as? TransportError)?.code == .truncatedResponse)
        let there = partialSize
        #expect(there > 0)
        let part = LoopbackResponse.bytes(Array(Self.bytes[there..<(there + 10)]), status: 206)
            .header("Content-Range", "bytes \(there)-\(there + 9)/*").header("ETag", "\"one\"")
        server.on(.get, "/a", inOrder: [part, .bytes(Self.bytes)])
        #expect(try await load().value.status == 200)
        #expect(server.requests.dropFirst().map { $0.headers["Range"] } == ["bytes=\(there)-", nil])
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }

    @Test(arguments: misfits.indices)
    func anAnswerThatDoesNotFitMakesItStartAgain(index: Int) async throws {
        try await breakOff()
        let misfit = Self.misfits[index]
        server.on(.get, "/a", inOrder: [misfit.answer(partialSize), .bytes(Self.bytes)])
        #expect(try await load().value.status == 200, "\(misfit.name)")
        #expect(server.requests.last?.headers["Range"] == nil)
        #expect(server.requests.last?.headers["If-Range"] == nil)
        #expect(server.requests.count == 3)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
        #expect(try names == ["target.bin"])
    }

    @Test func aRestThatIsSaidToBeWholeIsAppended() async throws {
        try await breakOff()
        var rest = rest(from: partialSize)
        rest.status = 200
        server.on(.get, "/a", respond: rest)
        #expect(try await load().value.status == 206)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
        #expect(try names == ["target.bin"])
    }

    /// The same with a status that says that the part is whole. Nothing says which of the two is wrong.
    @Test(arguments: misfits.indices.prefix(3))
    func aPartThatDoesNotFitAndIsSaidToBeWholeFailsAndIsNotResumed(index: Int) async throws {
        try await breakOff()
        var answer = Self.misfits[index].answer(partialSize)
        answer.status = 200
        server.on(.get, "/a", inOrder: [answer, .bytes(Self.bytes)])
        #expect((await load().end().error as? TransportError)?.code == .invalidResponse)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try await load().value.status == 200)
        #expect(server.requests.last?.headers["Range"] == nil)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }

    @Test func a416OfAFileThatIsWholeCompletesIt() async throws {
        // Without a length nobody knows that nothing is missing.
        server.on(
            .get, "/a",
            respond: LoopbackResponse.chunked(["all of it"], isTerminated: false).header("ETag", "\"one\"").closing())
        #expect((await load().end().error as? TransportError)?.code == .truncatedResponse)
        #expect(partialSize == 9)
        server.on(.get, "/a", respond: .text("nothing left", status: 416).header("Content-Range", "bytes */9"))
        let answer = try await load().value
        #expect((answer.status, answer.file, answer.data) == (206, file, Data()))
        #expect(try Data(contentsOf: file) == Data("all of it".utf8))
        #expect(try names == ["target.bin"])
    }

    @Test func aPartOfTheRestIsAnErrorAndKept() async throws {
        try await breakOff()
        let there = partialSize
        server.on(
            .get, "/a",
            respond: .bytes(Array(Self.bytes[there..<there + 1000]), status: 206).header("ETag", "\"one\"")
                .header("Content-Range", "bytes \(there)-\(there + 999)/\(Self.size)"))
        #expect((await load().end().error as? TransportError)?.code == .truncatedResponse)
        #expect(partialSize == there + 1000)
        serveTheRest()
        _ = try await load().value
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }

    @Test func aPartThatNobodyAskedForIsAnError() async throws {
        server.on(.get, "/a", respond: rest(from: 10))
        let error = try await sender.expectFailure(.invalidResponse, server.url("/a"), options: resuming())
        #expect(error.reason == "the server sent a part, and the request has no Range")
        #expect(try names == [])
    }

    @Test func aRefusalLeavesWhatIsThere() async throws {
        try await breakOff()
        let there = partialSize
        server.on(.get, "/a", respond: .text("later", status: 503))
        let answer = try await load().value
        #expect((answer.status, answer.text) == (503, "later"))
        #expect(partialSize == there)
        serveTheRest()
        #expect(try await load().value.status == 206)
    }

    @Test(arguments: [LoopbackResponse.text("later", status: 503), .redirect(to: "/a", status: 302), .close])
    func theProgressOfAnAttemptThatBringsNothingTellsWhatIsKept(answer: LoopbackResponse) async throws {
        try await breakOff()
        let there = partialSize
        server.on(.get, "/a", respond: answer)
        let steps = Mutex<[TransferProgress]>([])
        _ = await sender.send(
            .get, server.url("/a"), options: resuming { step in steps.withLock { $0.append(step) } }
        ).end()
        let kept = TransferProgress(
            sent: 0, totalToSend: nil, received: 0, totalToReceive: nil, alreadyReceived: Int64(there))
        #expect(steps.withLock { Set($0.map(\.alreadyReceived)) } == [Int64(there)])
        #expect(steps.withLock { $0.allSatisfy { $0 == kept } })
    }

    // MARK: What belongs to what

    @Test func anotherUrlIsLoadedAnew() async throws {
        try await breakOff()
        server.on(.get, "/b", respond: .text("another file").header("ETag", "\"one\""))
        #expect(try await load("/b").value.status == 200)
        #expect(server.requests.last?.headers["Range"] == nil)
        #expect(try Data(contentsOf: file) == Data("another file".utf8))
        #expect(try names == ["target.bin"])
    }

    @Test func theNoteHoldsNoUrl() async throws {
        server.on(.get, "/a", respond: .bytes(Self.bytes).header("ETag", "\"one\"").closing(afterBytes: 1_000_000))
        _ = await load("/a?token=hunter2").end()
        let note = try Data(contentsOf: folder.url.appending(path: "target.bin.partial-info"))
        #expect(!String(decoding: note, as: UTF8.self).contains("hunter2"))
    }

    @Test func aNoteThatIsNoneIsIgnored() async throws {
        try await breakOff()
        try Data("netchain-partial 2\n".utf8).write(to: folder.url.appending(path: "target.bin.partial-info"))
        server.on(.get, "/a", respond: .bytes(Self.bytes))
        #expect(try await load().value.status == 200)
        #expect(server.requests.last?.headers["Range"] == nil)
    }

    @Test func aSecondDownloadIntoTheSameFileIsRefused() async throws {
        server.hold("/a")
        let first = load()
        let exchange = try await server.nextRequest("/a")
        let error = try await sender.expectFailure(.destinationFailed, server.url("/a"), options: resuming())
        #expect(error.reason == "\(file.path).partial is being written by another download.")
        exchange.respond(.text("whole"))
        _ = try await first.value
        #expect(try Data(contentsOf: file) == Data("whole".utf8))
        exchange.respond(.text("whole"))
    }

    @Test func aRangeOfTheCallersOwnIsRefused() async throws {
        let error = await load(headers: ["Range": "bytes=1-2"]).end().error as? TransportError
        #expect(error?.code == .invalidRequest)
        #expect(server.counts.requests == 0)
    }

    @Test func aPostIsNotResumed() async throws {
        server.on(.post, "/a", respond: .bytes(Self.bytes).header("ETag", "\"one\"").closing(afterBytes: 1_000_000))
        _ = await sender.send(.post, server.url("/a"), options: resuming()).end()
        #expect(try names == [])
    }

    /// A chunked body may have any length: its coding overrides the `Content-Length` (RFC 9112 §6.3).
    @Test func theLengthOfAChunkedBodyIsIgnored() async throws {
        server.on(
            .get, "/a",
            respond: LoopbackResponse.chunked(["all", " of", " it"]).header("ETag", "\"one\"")
                .header("Transfer-Encoding", "chunked").header("Content-Length", "5"))
        let steps = Mutex<[TransferProgress]>([])
        let response = try await sender.send(
            .get, server.url("/a"), options: resuming { step in steps.withLock { $0.append(step) } }
        ).value
        #expect(response.status == 200)
        #expect(try Data(contentsOf: file) == Data("all of it".utf8))
        #expect(steps.withLock { $0.allSatisfy { $0.totalToReceive == nil } && $0.last?.received == 9 })
    }

    @Test func aRedirectIsFollowedWithTheRange() async throws {
        server.on(.get, "/from", respond: .redirect(to: "/a"))
        server.on(.get, "/a", respond: .bytes(Self.bytes).header("ETag", "\"one\"").closing(afterBytes: 1_000_000))
        _ = await load("/from").end()
        serveTheRest()
        #expect(try await load("/from").value.status == 206)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }
}
#endif
