import NetChainKit
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx, .nginxH2c, .nginxTls, .authorities))
struct Http2Tests {
    typealias Way = (server: ServerVariable, version: CurlRequestSender.Configuration.HttpVersion)

    static let withTls: [Way] = [(.nginxTls, .automatic), (.nginxTls, .http2PriorKnowledge)]
    static let ways = withTls + [(.nginxH2c, .http2PriorKnowledge)]

    @Test(arguments: ways)
    func http2IsSpoken(server: ServerVariable, version: CurlRequestSender.Configuration.HttpVersion) async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = version })
        let response = try await sender.observed(rawRequest(server, "/echo")).value
        #expect(response.metrics.httpVersion == "HTTP/2")
        #expect(try Json(parsing: response.data).decode(Echo.self).protocol == "HTTP/2.0")
    }

    @Test(arguments: ways + [(.nginx, .http1)], [BodyDestination.memory, .stream])
    func aCompressedBodyIsReadAndACutOneIsNot(way: Way, destination: BodyDestination) async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = way.version })
        func load(_ path: String) async throws -> Data {
            var request = try rawRequest(way.server, path)
            request.options.destination = destination
            let answer = try await sender.observed(request).value
            guard let stream = answer.bytes else { return answer.data }
            // Time in which the stream fills, and its transfer pauses.
            for _ in 0..<20 { _ = try await sender.observed(rawRequest(way.server, "/users")).value }
            var data = Data()
            for try await chunk in stream { data += chunk }
            return data
        }
        #expect(try await load("/gzip/blob") == blob)
        let error = await thrown(TransportError.self) { try await load("/gzip/cut") }
        #expect(error?.code == .truncatedResponse)
    }

    /// Before libcurl 8.14, the upload uses HTTP/1.1, and libcurl would write the second request into it.
    @Test(arguments: [0, 64])
    func requestsBesideAnUploadAreNoPartOfIt(maxIdle: Int) async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.connections.maxIdle = maxIdle })
        let (pieces, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("first,".utf8))
        let upload = sender.observed(try rawRequest(.post, .nginxTls, "/raw-body", body: .stream(pieces)))
        for _ in 0..<3 {
            let response = try await sender.observed(rawRequest(.nginxTls, "/echo")).value
            #expect(response.metrics.httpVersion == "HTTP/2")
        }
        source.yield(Data("last".utf8))
        source.finish()
        #expect(try await upload.value.data == Data("first,last".utf8))
    }

    @Test func http1IsSpokenWhereItIsAskedFor() async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = .http1 })
        let echo: Echo = try await request(.nginxTls, "/echo", with: sender).build().execute()
        #expect(echo.protocol == "HTTP/1.1")
        #expect(echo.scheme == "https")
    }

    @Test func http1IsSpokenWithoutTls() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let response = try await sender.observed(rawRequest(.nginx, "/echo")).value
        #expect(response.metrics.httpVersion == "HTTP/1.1")
    }

    private func echoes(
        of count: Int, from server: ServerVariable, with sender: CurlRequestSender
    ) async throws -> [Echo] {
        try await withThrowingTaskGroup(of: Echo.self) { group in
            for _ in 0..<count {
                let chain: Node<Void, Echo> = try request(server, "/echo", with: sender).build()
                group.addTask { try await chain.execute() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: withTls)
    func requestsAtOnceShareOneConnection(
        server: ServerVariable, version: CurlRequestSender.Configuration.HttpVersion
    ) async throws {
        // Most of 600 wait in the queue of their origin.
        for count in [50, 600] {
            let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = version })
            let echoes = try await echoes(of: count, from: server, with: sender)
            #expect(echoes.count == count)
            #expect(Set(echoes.map(\.connection)).count == 1)
        }
    }

    /// libcurl 7.88 reads what is another transfer's, and may not go on with that one before anything else happens: without
    /// the timer of a stall, nothing does before that of the connecting.
    @Test(arguments: withTls, [0, 1, 64])
    func noneOfManyAnswersWaitsForAnotherEvent(way: Way, idleConnections: Int) async throws {
        let sender = try CurlRequestSender(
            configuration: .tls {
                $0.httpVersion = way.version
                $0.connections.maxIdle = idleConnections
                $0.timeouts.stall = nil
                $0.connectTimeout = .seconds(60)
            })
        let request = try rawRequest(way.server, "/users")
        let other = try rawRequest(.nginxTls12, "/users")
        for _ in 0..<(idleConnections == 0 ? 10 : 100) {
            let start = ContinuousClock.now
            let answers = [sender.observed(other)] + (0..<64).map { _ in sender.observed(request) }
            for answer in answers { #expect(try await answer.value.status == 200) }
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }

    /// While other requests read the connection of a stream that waits for its reader, libcurl opens the stream's window
    /// with each pause, and keeps what arrives.
    @Test(arguments: ["/zeros.bin", "/gzip/zeros"])
    func aSlowReaderGetsItsBodyWhileOthersUseTheConnection(path: String) async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        var request = try rawRequest(.nginxTls, path)
        request.options.destination = .stream
        let bytes = try #require(try await sender.observed(request).value.bytes)
        let others = Task {
            while !Task.isCancelled { _ = try await sender.observed(rawRequest(.nginxTls, "/users")).value }
        }
        defer { others.cancel() }
        var count = 0
        for try await piece in bytes {
            count += piece.count
            if count > 32 << 20 { break }
            // 16 MB a second.
            try await Task.sleep(for: .milliseconds(piece.count >> 14))
        }
        #expect(count > 32 << 20)
    }

    @Test func aThreadWithASharedConnectionSleepsWhileItsRequestsWait() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        _ = try await echoes(of: 20, from: .nginxTls, with: sender)
        let slow = try LoopbackServer()
        slow.hold("/held")
        slow.hold("/thread")
        let thread = Mutex("")
        let held = ["/held", "/held"].map { sender.observed(HttpRequest(method: .get, url: slow.url($0))) }
        for _ in held { _ = try await slow.nextRequest("/held") }
        // The listener is added before the response, so the sender's thread calls it.
        let last = sender.observed(HttpRequest(method: .get, url: slow.url("/thread"))).onSettled { _ in
            let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            thread.withLock { $0 = name ?? "" }
        }
        try await slow.nextRequest("/thread").respond(.text("ok"))
        _ = try await last.value
        let before = try processorTime(of: thread.withLock { $0 })
        try await Task.sleep(for: .seconds(1))
        // In hundredths of a second. A thread that doesn't sleep takes a hundred.
        #expect(try processorTime(of: thread.withLock { $0 }) - before < 20)
        for request in held { request.cancel() }
    }

    /// The processor time of a thread in hundredths of a second: the fields 14 and 15 of its stat (proc(5)).
    private func processorTime(of thread: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(thread)/stat", encoding: .utf8)
        let fields = try #require(text.split(separator: ")").last).split(separator: " ")
        return try #require(Int(fields[11])) + #require(Int(fields[12]))
    }

    /// The reader of the download waits, so that its stream is paused, and then goes away.
    @Test func aPausedAndACanceledDownloadLeaveItsConnectionToOthers() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        let first = try await echoes(of: 1, from: .nginxTls, with: sender)
        var download = try rawRequest(.nginxTls, "/blob.bin")
        download.options.destination = .stream
        var bytes = try await sender.observed(download).value.bytes
        var iterator = bytes?.makeAsyncIterator()
        #expect(try await iterator?.next() != nil)
        let beside = try await echoes(of: 20, from: .nginxTls, with: sender)
        (bytes, iterator) = (nil, nil)
        let after = try await echoes(of: 20, from: .nginxTls, with: sender)
        #expect(Set((first + beside + after).map(\.connection)).count == 1)
    }

    @Test func fiftyRequestsAtOnceSpeakHttp2WithoutTls() async throws {
        // How many connections they take depends on the version of libcurl.
        let sender = try CurlRequestSender(configuration: .loopback { $0.httpVersion = .http2PriorKnowledge })
        let first = try await echoes(of: 50, from: .nginxH2c, with: sender)
        let second = try await echoes(of: 2, from: .nginxH2c, with: sender)
        #expect((first + second).map(\.protocol) == Array(repeating: "HTTP/2.0", count: 52))
    }

    @Test(arguments: ways)
    func aBodyIsSentAndTheAnswerReceived(
        server: ServerVariable, version: CurlRequestSender.Configuration.HttpVersion
    ) async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = version })
        // Without TLS libcurl 7.88 may leave the end of a large body unsent (Docs/BigBodies.md).
        let body = server == .nginxH2c ? blob.prefix(64 << 10) : blob
        let response = try await sender.observed(rawRequest(.post, server, "/raw-body", body: .data(body))).value
        #expect(response.data == body)
        #expect(response.metrics.bytesSent == body.count)
    }

    @Test func http1RequestsAfterOneAnotherShareOneConnection() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let chain: Node<Void, Echo> = try request(.nginx, "/echo", with: sender).build()
        var connections: Set<Int> = []
        for _ in 0..<5 { connections.insert(try await chain.execute().connection) }
        #expect(connections.count == 1)
    }
}
