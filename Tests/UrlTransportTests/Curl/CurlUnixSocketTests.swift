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

/// Requests over Unix domain sockets.
@Suite(.timeLimit(.minutes(1)))
struct CurlUnixSocketTests {
    private let folder: TestFolder
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        folder = try TestFolder()
        server = try LoopbackServer(unixSocket: folder.url.path + "/a.sock")
        server.on(.any, "/ok", respond: .text("ok"))
        sender = try makeSender()
    }

    private var path: String { folder.url.path + "/a.sock" }

    private func options(_ path: String? = nil) -> RequestOptions {
        var options = RequestOptions()
        options.unixSocket = path ?? self.path
        return options
    }

    private func request(
        _ method: HttpMethod = .get, _ target: String = "/ok", headers: HttpHeaders = [:],
        body: RequestBody = .empty, at path: String? = nil
    ) -> HttpRequest {
        HttpRequest(method: method, url: server.url(target), headers: headers, body: body, options: options(path))
    }

    // MARK: Requests

    @Test func aRequestIsTheSameAsOverTcp() async throws {
        server.on(.post, "/echo") { .text($0.text) }
        let get = try await sender.observed(request(.get, "/ok?a=1")).value
        #expect((get.status, get.text) == (200, "ok"))
        let post = try await sender.observed(request(.post, "/echo", body: .data(Data("body".utf8)))).value
        #expect(post.text == "body")
        #expect(server.requests.map(\.description) == ["GET /ok?a=1", "POST /echo"])
        #expect(server.requests.allSatisfy { $0.headers["Host"] == "localhost" && $0.remotePort == 0 })
    }

    @Test func theUrlNamesTheHostHeaderAlone() async throws {
        let url = try #require(URL(string: "http://no-such.invalid:8080/ok"))
        _ = try await sender.send(.get, url, options: options()).value
        #expect(server.requests.last?.headers["Host"] == "no-such.invalid:8080")
        _ = try await sender.send(.get, url, headers: ["Host": "mine"], options: options()).value
        #expect(server.requests.last?.headers["Host"] == "mine")
    }

    @Test func cookiesAreThoseOfTheHost() async throws {
        let sender = try makeSender { $0.cookies = .memory }
        server.on(.get, "/set", respond: .text("set").header("Set-Cookie", "a=1; Path=/"))
        _ = try await sender.observed(request(.get, "/set")).value
        _ = try await sender.observed(request()).value
        #expect(server.requests.last?.headers["Cookie"] == "a=1")
    }

    @Test(arguments: [1, 3_000_001])
    func bodiesOfAnySizePass(size: Int) async throws {
        let bytes = pattern(size)
        server.on(.post, "/echo") { .bytes($0.body) }
        let response = try await sender.observed(request(.post, "/echo", body: .data(Data(bytes)))).value
        #expect(response.data == Data(bytes))
    }

    @Test func noProxyIsUsed() async throws {
        let proxy = try LoopbackServer()
        let sender = try makeSender { $0.proxy = .url(proxy.url) }
        #expect(try await sender.observed(request()).value.text == "ok")
        #expect(server.requests.last?.target == "/ok")
        #expect(proxy.counts.connectionsAccepted == 0)
    }

    // MARK: Connections

    @Test func eachRequestHasAConnection() async throws {
        for method: HttpMethod in [.get, .post, .head, .put, .delete] {
            let metrics = try await sender.observed(request(method)).value.metrics
            #expect(!metrics.reusedConnection)
            #expect(metrics.remoteAddress == path)
            try await server.waitForConnections(open: 0)
        }
        #expect(server.counts.connectionsAccepted == 5)
    }

    @Test func manyRequestsRunAtOnce() async throws {
        server.hold("/held/:id")
        let responses = (0..<64).map { sender.observed(request(.get, "/held/\($0)")) }
        var exchanges: [LoopbackExchange] = []
        for _ in 0..<64 { exchanges.append(try await server.nextRequest("/held/:id")) }
        for exchange in exchanges { exchange.respond(.text(exchange.request.target)) }
        for (id, response) in responses.enumerated() { #expect(try await response.value.text == "/held/\(id)") }
    }

    @Test func socketsAndTcpWithTheSameHostNeverMix() async throws {
        let other = try LoopbackServer(unixSocket: folder.url.path + "/b.sock")
        let tcp = try LoopbackServer()
        for (server, name) in [(server, "a"), (other, "b"), (tcp, "tcp")] {
            server.on(.get, "/who/*", respond: .text(name))
        }
        let names: [(name: String, path: String?)] = [("a", path), ("b", other.unixSocket), ("tcp", nil)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask { [sender] in
                    for index in 0..<60 {
                        let (name, path) = names[(task + index) % 3]
                        var options = RequestOptions()
                        options.unixSocket = path
                        let response = try await sender.send(.get, tcp.url("/who/\(task)"), options: options).value
                        #expect(response.text == name)
                    }
                }
            }
            try await group.waitForAll()
        }
        for server in [server, other, tcp] { #expect(server.counts.requests == 320) }
    }

    @Test(arguments: [HttpMethod.get, .post])
    func aLostConnectionIsAnError(method: HttpMethod) async throws {
        server.on(.any, "/dying", inOrder: [.close, .text("again")])
        let error = await thrown(TransportError.self) { try await sender.send(request(method, "/dying")) }
        #expect(error?.code == .connectionLost)
        #expect(error?.wasProcessed == .unknown)
    }

    @Test func aCanceledRequestEndsItsConnection() async throws {
        server.hold("/held")
        let response = sender.observed(request(.get, "/held"))
        let exchange = try await server.nextRequest("/held")
        response.cancel()
        try await exchange.clientClosed()
        #expect(try await sender.observed(request()).value.text == "ok")
        #expect(server.counts.connectionsAccepted == 2)
    }

    @Test func aServerThatStartsAgainIsFound() async throws {
        #expect(try await sender.observed(request()).value.text == "ok")
        server.stop()
        let next = try LoopbackServer(unixSocket: path)
        next.on(.any, "/ok", respond: .text("next"))
        #expect(try await sender.observed(request(.post)).value.text == "next")
    }

    // MARK: Redirects

    @Test func aRedirectWithinTheOriginStaysOnTheSocket() async throws {
        server.on(.get, "/from", respond: .redirect(to: "/ok"))
        server.on(.get, "/whole", respond: .redirect(to: "http://localhost:80/ok"))
        for target in ["/from", "/whole"] { #expect(try await sender.send(request(.get, target)).text == "ok") }
        #expect(server.requestCount("/ok") == 2)
    }

    @Test func aRedirectToAnotherOriginUsesTcp() async throws {
        let tcp = try LoopbackServer()
        tcp.on(.get, "/there", respond: .text("tcp"))
        tcp.on(.get, "/back", respond: .redirect(to: "http://localhost:\(try ClosedPort.number())/ok"))
        server.on(.get, "/there", respond: .redirect(to: "\(tcp.url)/there"))
        server.on(.get, "/back", respond: .redirect(to: "\(tcp.url)/back"))
        let response = try await sender.observed(request(.get, "/there", headers: ["Authorization": "Bearer t"])).value
        #expect((response.text, response.metrics.remoteAddress) == ("tcp", "127.0.0.1"))
        #expect(tcp.requests.last?.headers["Authorization"] == nil)
        #expect(tcp.requests.last?.headers["Host"] == "127.0.0.1:\(tcp.port)")
        // Once another origin was visited, the first one isn't reached over the socket either.
        let url = try #require(URL(string: "http://localhost:\(try ClosedPort.number())/back"))
        let error = try await sender.expectFailure(.connectionRefused, url, options: options())
        #expect(error.redirects == 2)
        #expect(server.requestCount("/ok") == 0)
    }

    // MARK: Failures

    @Test func aMissingSocketCannotBeConnectedTo() async throws {
        let missing = folder.url.path + "/missing.sock"
        let error = try await sender.expectFailure(.cannotConnect, server.url("/ok"), options: options(missing))
        #expect(error.reason == "the connection to the Unix domain socket \(missing) failed: No such file or directory")
        #expect(error.isRetryable)
    }

    @Test func aSocketWhereNothingListensRefuses() async throws {
        let file = try folder.file("plain", [1])
        let bound = folder.url.path + "/bound.sock"
        let descriptor = bind(bound)
        defer { close(descriptor) }
        for path in [bound, file.path] {
            let error = try await sender.expectFailure(.connectionRefused, server.url("/ok"), options: options(path))
            #expect(error.reason == "nothing listens on the Unix domain socket \(path)")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may connect to any socket"))
    func aSocketWithoutPermissionCannotBeConnectedTo() async throws {
        chmod(path, 0)
        let error = try await sender.expectFailure(.cannotConnect, server.url("/ok"), options: options())
        #expect(error.reason == "the connection to the Unix domain socket \(path) failed: Permission denied")
    }

    @Test func aFullQueueIsNoConnection() async throws {
        let full = folder.url.path + "/full.sock"
        let descriptors = [bind(full, backlog: 0)] + (0..<2).map { _ in connectedSocket(to: full) }
        defer { for descriptor in descriptors { close(descriptor) } }
        let error = try await sender.expectFailure(.cannotConnect, server.url("/ok"), options: options(full))
        #expect(error.reason.contains(full), "\(error)")
    }

    @Test(arguments: [
        ("", "it must be absolute"), ("docker.sock", "it must be absolute"), ("@abstract", "it must be absolute"),
        ("/a\0b", "it must not hold a NUL"),
        ("/" + String(repeating: "x", count: 107), "it may have 107 bytes, and has 108"),
        ("/" + String(repeating: "ü", count: 54), "it may have 107 bytes, and has 109"),
    ])
    func aPathThatCannotBeUsedFailsTheRequest(path: String, reason: String) async throws {
        let error = try await sender.expectFailure(.invalidRequest, server.url("/ok"), options: options(path))
        #expect(error.reason == "\(path.debugDescription) is no path of a Unix domain socket: \(reason)")
        #expect(error.metrics == nil)
    }

    @Test func theLongestPathCanBeUsed() async throws {
        // The length of the folder's path varies, so the name fills it up.
        let path = folder.url.path + "/" + String(repeating: "x", count: 106 - folder.url.path.utf8.count)
        #expect(path.utf8.count == 107)
        let server = try LoopbackServer(unixSocket: path)
        server.on(.get, "/ok", respond: .text("long"))
        let response = try await sender.observed(request(at: path)).value
        #expect((response.text, response.metrics.remoteAddress) == ("long", path))
    }

    @Test func aTimeoutAndABrokenResponseAreThoseOfTcp() async throws {
        server.on(.get, "/never", respond: .neverAnswer)
        server.on(.get, "/cut", respond: .text("a long text").closing(afterBytes: 90))
        var options = options()
        try await sender.expectFailure(.truncatedResponse, server.url("/cut"), options: options)
        options.timeout = .milliseconds(100)
        try await sender.expectFailure(.requestTimedOut, server.url("/never"), options: options)
    }

    /// Binds a socket to the path. It listens if there is a backlog.
    private func bind(_ path: String, backlog: Int32? = nil) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        #expect(result == 0)
        if let backlog { #expect(listen(descriptor, backlog) == 0) }
        return descriptor
    }

    private func connectedSocket(to path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        _ = withAddress(path) { connect(descriptor, $0, $1) }
        return descriptor
    }

    private func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
#endif
