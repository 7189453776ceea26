#if os(Linux)
import Glibc
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

@Suite(.timeLimit(.minutes(1)))
struct CurlDestinationTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder
    private let file: URL

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender { $0.limits.responseSize = 100_000 }
        folder = try TestFolder()
        file = folder.url.appending(path: "target.bin")
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
    }

    private func get(_ path: String, to destination: BodyDestination) -> Observer<HttpResponse> {
        sender.send(.get, server.url(path), options: RequestOptions(destination: destination))
    }

    // MARK: Files

    @Test(arguments: [0, 1, 262_144, 3_000_001])
    func aBodyIsWrittenToTheFileByteForByte(size: Int) async throws {
        let bytes = pattern(size)
        server.on(.get, "/a", respond: .bytes(bytes))
        try Data("old".utf8).write(to: file)
        let answer = try await get("/a", to: .file(file)).value
        #expect(answer.file == file)
        #expect(answer.data.isEmpty)
        #expect(try Data(contentsOf: file) == Data(bytes))
        #expect(try names == ["target.bin"])
    }

    @Test func aLinkIsReplacedAndNotWhatItPointsTo() async throws {
        server.on(.get, "/a", respond: .text("new"))
        let other = folder.url.appending(path: "other")
        try Data("old".utf8).write(to: other)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
        _ = try await get("/a", to: .file(file)).value
        #expect(try Data(contentsOf: other) == Data("old".utf8))
        #expect(try Data(contentsOf: file) == Data("new".utf8))
    }

    @Test func aBodyThatBreaksOffLeavesTheOldFileAndNothingElse() async throws {
        try Data("old".utf8).write(to: file)
        server.on(.get, "/a", respond: .repeating([1], length: 900_000).closing(afterBytes: 500_000))
        try await sender.expectFailure(
            .truncatedResponse, server.url("/a"), options: RequestOptions(destination: .file(file)))
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(try names == ["target.bin"])
    }

    @Test func aFailureStatusStaysInMemoryAndARedirectIsFollowed() async throws {
        server.on(.get, "/no", respond: .text("why", status: 404))
        server.on(.get, "/from", respond: .redirect(to: "/to"))
        server.on(.get, "/to", respond: .text("there"))
        let refused = try await get("/no", to: .file(file)).value
        #expect((refused.text, refused.file) == ("why", nil))
        #expect(try names == [])
        _ = try await get("/from", to: .file(file)).value
        #expect(try Data(contentsOf: file) == Data("there".utf8))
    }

    @Test func whatCantBecomeAFileIsToldBeforeAnythingIsSent() async throws {
        let missing = folder.url.appending(path: "missing")
        // A download would replace it, as a device.
        let pipe = folder.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let elsewhere = try #require(URL(string: "https://bob:hunter2@a.example/x?access_token=hunter2"))
        for (target, reason) in [
            (elsewhere, "https://***@a.example/x?access_token=*** is no file URL."),
            (folder.url, "\(folder.url.path) is a folder."),
            (pipe, "\(pipe.path) is no regular file."),
            (missing.appending(path: "a"), "\(missing.path) can't be written to: No such file or directory."),
        ] {
            let error = try await sender.expectFailure(
                .destinationFailed, server.url("/a"), options: RequestOptions(destination: .file(target)))
            #expect(error.reason == reason)
        }
        #expect(server.counts.requests == 0)
    }

    @Test func aCancelledDownloadLeavesNothing() async throws {
        server.hold("/a")
        let answer = get("/a", to: .file(file))
        let exchange = try await server.nextRequest("/a")
        exchange.sendHead(headers: ["Content-Length": "1000000"])
        exchange.sendBody([UInt8](repeating: 1, count: 500_000))
        try await eventually("the part is there") { try names.count == 1 }
        answer.cancel()
        try await exchange.clientClosed()
        try await eventually("the part is gone") { try names.isEmpty }
    }

    /// Cancels at any moment, and a close among them.
    @Test(arguments: [false, true])
    func whateverEndsADownloadThereAreWholeFilesOnly(closes: Bool) async throws {
        let bytes = pattern(600_000)
        server.on(.get, "/a", respond: .bytes(bytes).header("ETag", "\"one\""))
        let count = 100
        let outcomes = await withTaskGroup(of: (Int, Outcome<HttpResponse>).self) { group in
            for index in 0..<count {
                group.addTask {
                    let (steps, step) = AsyncStream.makeStream(of: Void.self)
                    let options = RequestOptions(
                        destination: .file(folder.url.appending(path: "\(index)"), resuming: index.isMultiple(of: 2)),
                        onProgress: { _ in step.yield() })
                    let download = sender.send(.get, server.url("/a"), options: options)
                    download.defer { step.finish() }
                    if index.isMultiple(of: 3) {
                        // The first is told after some time, or at the end, when only the file isn't whole.
                        if index % 9 == 3 { for await _ in steps { break } }
                        for _ in 0..<index * 10 { await Task.yield() }
                        download.cancel()
                    }
                    if closes, index == count / 2 { sender.close() }
                    return (index, await download.end())
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try await eventually("the canceled file is removed") { try !names.contains { $0.hasSuffix(".part") } }
        for (index, outcome) in outcomes {
            let file = folder.url.appending(path: "\(index)")
            if let answer = outcome.value {
                #expect(answer.file == file)
                #expect(try Data(contentsOf: file) == Data(bytes))
            } else if outcome.isCanceled {
                #expect(index.isMultiple(of: 3))
            } else {
                #expect((outcome.error as? TransportError)?.code == .senderClosed)
                #expect(closes)
                #expect(!FileManager.default.fileExists(atPath: file.path))
            }
        }
        #expect(outcomes.count == count)
        #expect(closes || outcomes.values.contains { $0.isCanceled }, "a close may come before every cancel")
        // What is kept can be gone on with.
        let kept = try names.filter { $0.hasSuffix(".partial") }
        let other = try makeSender()
        for name in kept {
            let file = folder.url.appending(path: String(name.dropLast(8)))
            let options = RequestOptions(destination: .file(file, resuming: true))
            _ = try await other.send(.get, server.url("/a"), options: options).value
            #expect(try Data(contentsOf: file) == Data(bytes))
        }
        #expect(try !names.contains { $0.contains(".part") })
    }

    #if compiler(>=6.2)  // Exit tests.
    /// A limit to the size of files stands for a disk that is full.
    @Test func aFullDiskIsToldAndLeavesNothing() async throws {
        // In a process of its own, whose limit it is.
        await #expect(processExitsWith: .success) {
            let tests = try CurlDestinationTests()
            tests.server.on(.get, "/small", respond: .bytes(pattern(200_000)))
            tests.server.on(.get, "/large", respond: .bytes(pattern(4_000_000)))
            signal(SIGXFSZ, SIG_IGN)
            var limits = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
            for (path, resuming) in [("/small", false), ("/small", true), ("/large", false), ("/large", true)] {
                let error = try await tests.sender.expectFailure(
                    .destinationFailed, tests.server.url(path),
                    options: RequestOptions(destination: .file(tests.file, resuming: resuming)))
                #expect(error.reason == "\(tests.file.path) can't be written: File too large.")
                #expect(error.metrics?.bytesReceived ?? 0 > 0)
                #expect(try tests.names == [])
            }
        }
    }

    @Test func memoryDoesNotGrowWithAFile() async throws {
        // In a process of its own: other tests take memory at the same time.
        await #expect(processExitsWith: .success) {
            let tests = try CurlDestinationTests()
            let block = [UInt8](repeating: 7, count: 65_536)
            tests.server.on(.get, "/warm", respond: .repeating(block, length: 8 << 20))
            tests.server.on(.get, "/big", respond: .repeating(block, length: 256 << 20))
            _ = try await tests.get("/warm", to: .file(tests.file)).value
            let before = residentKilobytes()
            _ = try await tests.get("/big", to: .file(tests.file)).value
            expectGrowth(since: before, below: 16 << 10)
        }
    }
    #endif

    // MARK: Streams

    @Test func aStreamBringsTheBodyByteForByte() async throws {
        let bytes = pattern(3_000_001)
        server.on(.get, "/a", respond: .bytes(bytes))
        let stream = try #require(try await get("/a", to: .stream).value.bytes)
        var received = Data()
        for try await chunk in stream { received += chunk }
        #expect(received == Data(bytes))
    }

    @Test func aStreamIsThereWithTheHeadAndItsPiecesAsTheyCome() async throws {
        server.hold("/a")
        let answer = get("/a", to: .stream)
        let exchange = try await server.nextRequest("/a")
        exchange.sendHead()
        let reader = try #require(try await answer.value.bytes).makeAsyncIterator()
        exchange.sendBody("one")
        #expect(try await reader.next() == Data("one".utf8))
        exchange.sendBody("two")
        #expect(try await reader.next() == Data("two".utf8))
        exchange.finish()
        #expect(try await reader.next() == nil)
    }

    @Test func aServerGetsNoFurtherThanTheBuffersWhileNobodyReads() async throws {
        let size = 256 << 20
        server.on(.get, "/a", respond: .repeating([UInt8](repeating: 7, count: 65_536), length: size))
        let stream = try #require(try await get("/a", to: .stream).value.bytes)
        // Other requests over the same thread take their time, in which an unpaused transfer would get on.
        server.on(.get, "/other", respond: .text("ok"))
        for _ in 0..<500 { #expect(try await sender.text(.get, server.url("/other")) == "ok") }
        #expect(server.counts.bytesSent < 32 << 20, "\(server.counts.bytesSent)")
        var received = 0
        for try await chunk in stream { received += chunk.count }
        #expect(received == size)
    }

    @Test func aBodyThatBreaksOffThrowsAfterWhatCame() async throws {
        server.on(.get, "/a", respond: .repeating([1], length: 900_000).closing(afterBytes: 500_000))
        let stream = try #require(try await get("/a", to: .stream).value.bytes)
        var received = 0
        let error = await thrown(TransportError.self) {
            for try await chunk in stream { received += chunk.count }
        }
        #expect(error?.code == .truncatedResponse)
        #expect(received > 400_000)
    }

    @Test func droppingAStreamEndsItsConnection() async throws {
        server.on(.get, "/a", respond: .endlessBody(isChunked: true))
        do {
            let stream = try #require(try await get("/a", to: .stream).value.bytes)
            for try await _ in stream { break }
        }
        try await server.waitForConnections(open: 0)
    }

    @Test func cancellingTheReaderEndsTheConnection() async throws {
        server.hold("/a")
        let answer = get("/a", to: .stream)
        let exchange = try await server.nextRequest("/a")
        exchange.sendHead()
        let stream = try #require(try await answer.value.bytes)
        let reading = Task { for try await _ in stream {} }
        reading.cancel()
        try await exchange.clientClosed()
        _ = await reading.result
    }

    @Test func closingTheSenderBreaksTheStreamOff() async throws {
        server.on(.get, "/a", respond: .endlessBody(isChunked: true))
        let stream = try #require(try await get("/a", to: .stream).value.bytes)
        sender.close()
        let error = await thrown(TransportError.self) { for try await _ in stream {} }
        #expect(error?.code == .senderClosed)
    }

    @Test func aFailureStatusIsCollectedInMemory() async throws {
        server.on(.get, "/no", respond: .text("why", status: 500))
        let answer = try await get("/no", to: .stream).value
        #expect(answer.text == "why")
        #expect(answer.bytes == nil)
    }
}
#endif
