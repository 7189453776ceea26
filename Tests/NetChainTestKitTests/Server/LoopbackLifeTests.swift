import NetChainTestKit
import Synchronization
import Testing
import UrlTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct LoopbackLifeTests {
    #if os(Linux)
    @Test func aServerRestartsAtItsPort() async throws {
        let first = try LoopbackServer()
        let (port, url) = (first.port, first.url)
        first.on(.get, "/a", respond: .text("first"))
        let sender = try CurlRequestSender()
        func text() async throws -> String {
            String(decoding: try await sender.send(HttpRequest(method: .get, url: first.url("/a"))).data, as: UTF8.self)
        }
        #expect(try await text() == "first")
        #expect(throws: LoopbackError.self) { try LoopbackServer(port: port) }
        first.stop()
        let second = try LoopbackServer(port: port) { $0.on(.get, "/a", respond: .text("second")) }
        #expect(second.url == url)
        #expect(try await text() == "second")
        for port in [-1, 65_536] { #expect(throws: LoopbackError.self) { try LoopbackServer(port: port) } }
    }

    /// A connection that is made before the routes are added is answered by them.
    @Test func aRestartedServerHasItsRoutesFirst() async throws {
        let connected = Mutex<RawClient?>(nil)
        let server = try LoopbackServer(port: 0) { server in
            let client = try RawClient(server)
            client.send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n")
            // Time in which a server that didn't wait would respond with 404.
            usleep(50_000)
            server.on(.get, "/a", respond: .text("route"))
            connected.withLock { $0 = client }
        }
        let client = try #require(connected.withLock { $0 })
        let reply = try await client.readToEnd()
        #expect(reply.text.hasSuffix("route"))
        #expect(server.requests.count == 1)
    }

    @Test func aServerMayStopBeforeItAnswers() throws {
        let server = try LoopbackServer(port: 0) { $0.stop() }
        #expect(throws: RawClient.Failure.self) { try RawClient(server) }
    }

    @Test func anErrorOfTheRoutesIsThatOfTheStart() throws {
        struct Failure: Error {}
        let port = Mutex(0)
        #expect(throws: Failure.self) {
            try LoopbackServer(port: 0) { server in
                port.withLock { $0 = server.port }
                // Keeps the server alive.
                server.on(.get, "/a") { _ in .text(server.url.path) }
                throw Failure()
            }
        }
        // Its port is free again.
        #expect(try LoopbackServer(port: port.withLock { $0 }).port == port.withLock { $0 })
    }
    #endif

    @Test func theURLNamesThePort() throws {
        let server = try LoopbackServer()
        #expect(server.url.absoluteString == "http://127.0.0.1:\(server.port)")
        #expect(server.url("/a/b?c=%20d").absoluteString == "http://127.0.0.1:\(server.port)/a/b?c=%20d")
        for (path, text) in [
            ("/a%2Bb?c=[1]", "/a%2Bb?c=%5B1%5D"), ("//a/../b", "//a/../b"), ("users", "/users"), ("?a", "?a"), ("", ""),
            (" ü#a#%20", "/%20%C3%BC#a%23%20"),
        ] {
            #expect(server.url(path).absoluteString == "http://127.0.0.1:\(server.port)\(text)")
        }
    }

    @Test(arguments: ServerPlace.allCases)
    func stoppingEndsConnectionsAndRefusesNewOnes(place: ServerPlace) async throws {
        let server = try place.server()
        server.hold("/held")
        let idle = try RawClient(server)
        let held = try RawClient(server)
        held.send("GET /held HTTP/1.1\r\n\r\n")
        let exchange = try await server.nextRequest()
        try await server.waitForConnections(accepted: 2)
        server.stop()
        server.stop()
        #expect(try await idle.readToEnd().ending == .closed)
        #expect(try await held.readToEnd().ending == .closed)
        #expect(!exchange.respond(.text("late")))
        #expect(throws: RawClient.Failure.self) { try RawClient(server) }
        #expect(server.counts.connectionsOpen == 0)
        #expect(server.requests.count == 1)
    }

    @Test func waitsEndWhenTheServerStops() async throws {
        let server = try LoopbackServer()
        server.hold("/held")
        let request = Task { _ = try await server.nextRequest("/held") }
        let requests = Task { try await server.waitForRequests(5, "/a/*") }
        let connections = Task { try await server.waitForConnections(accepted: 7) }
        server.stop()
        for (task, wish) in [
            (request, "a held request for * /held"), (requests, "5 requests for * /a/*"),
            (connections, "7 accepted connections"),
        ] {
            await #expect(throws: LoopbackError(.stopped, "the server was stopped while waiting for \(wish)")) {
                try await task.value
            }
        }
        await #expect(throws: LoopbackError(.stopped, "the server was stopped")) {
            try await server.closeIdleConnections()
        }
    }

    @Test func aWaitThatTakesTooLongSaysWhatHappenedInstead() async throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        client.send("GET /other?x=1 HTTP/1.1\r\n\r\n")
        _ = try await client.readAnswer()
        let message =
            "timed out waiting for 2 requests for GET /other: 1 connections were accepted, 1 are open, "
            + "1 requests came, the last: GET /other?x=1"
        await #expect(throws: LoopbackError(.timedOut, message)) {
            try await server.waitForRequests(2, "/other", method: .get, within: .milliseconds(5))
        }
    }

    @Test(arguments: [false, true])
    func aCancelledWaitEnds(isCancelledBefore: Bool) async throws {
        let server = try LoopbackServer()
        let task = Task {
            while isCancelledBefore, !Task.isCancelled { await Task.yield() }
            return try await server.nextRequest()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: ServerPlace.allCases)
    func aDroppedServerStops(place: ServerPlace) async throws {
        var server: LoopbackServer? = try place.server()
        let client = try RawClient(try #require(server))
        try await server?.waitForConnections(open: 1)
        server = nil
        #expect(try await client.readToEnd().ending == .closed)
    }

    @Test(arguments: ServerPlace.allCases)
    func aHandlerMayStopItsServer(place: ServerPlace) async throws {
        let server = try place.server()
        server.on(.get, "/stop") { _ in
            server.stop()
            return .text("never seen")
        }
        let client = try RawClient(server)
        client.send("GET /stop HTTP/1.1\r\n\r\n")
        #expect(try await client.readToEnd().text.isEmpty)
    }

    @Test func manyServersLiveAtOnceAndLeaveNoDescriptors() async throws {
        // Descriptors are counted by name: those of this test's sockets, whatever else the process opens meanwhile.
        var ports: [Int] = []
        for _ in 0..<20 {
            let servers = try (0..<10).map { _ in try LoopbackServer() }
            for server in servers {
                server.on(.get, "/", respond: .text("\(server.port)"))
                let client = try RawClient(port: server.port)
                client.send("GET / HTTP/1.1\r\n\r\n")
                #expect(try await client.readAnswer().body == "\(server.port)")
                ports.append(server.port)
            }
            for server in servers { server.stop() }
        }
        #expect(listeningDescriptors(on: Set(ports)) == 0)
    }

    /// How many descriptors of this process are sockets bound to one of the ports.
    private func listeningDescriptors(on ports: Set<Int>) -> Int {
        (0..<4096).count { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(Int32(descriptor), $0, &length)
                }
            }
            return result == 0 && ports.contains(Int(UInt16(bigEndian: address.sin_port)))
        }
    }
}
