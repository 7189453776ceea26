import HttpMessages
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A `Host` or a Unix domain socket selects another resource than the URL says, also after a redirect.
@Suite struct HostKeyTests {
    private let lab = CacheLab()

    private func sender(_ server: RedirectingToB) -> CachingSender { CachingSender(next: server, cache: lab.cache) }

    private func request(_ path: String, host: String?, _ method: HttpMethod = .get) throws -> HttpRequest {
        try lab.request(method, path, host.map { [("Host", $0)] } ?? [])
    }

    @Test func aRedirectedResponseIsOfItsHost() async throws {
        let sender = sender(RedirectingToB())
        _ = try await sender.send(try request("/a", host: "internal"))
        #expect(try await sender.send(try request("/b", host: nil)).cache == .miss)
        #expect(try await sender.send(try request("/b", host: "internal")).cache?.isStored == true)
    }

    @Test func anotherOriginIsNotOfTheHost() async throws {
        let sender = sender(RedirectingToB(leaves: true))
        _ = try await sender.send(try request("/a", host: "internal"))
        #expect(try await sender.send(try request("/b", host: "internal")).cache == .miss)
        #expect(try await sender.send(try request("/b", host: nil)).cache?.isStored == true)
    }

    #if os(Linux)
    @Test func aRedirectedResponseIsOfItsSocket() async throws {
        let sender = sender(RedirectingToB())
        var first = try request("/a", host: nil)
        first.options.unixSocket = "/run/a.socket"
        _ = try await sender.send(first)
        #expect(try await sender.send(try request("/b", host: nil)).cache == .miss)
        var second = try request("/b", host: nil)
        second.options.unixSocket = "/run/a.socket"
        #expect(try await sender.send(second).cache?.isStored == true)
    }
    #endif

    @Test(arguments: ["Location", "Content-Location"])
    func whatAnUnsafeRequestNamesIsOfItsHost(_ name: String) async throws {
        let sender = sender(RedirectingToB(named: name))
        for host in ["internal", nil] { _ = try await sender.send(try request("/b", host: host)) }
        _ = try await sender.send(try request("/c", host: "internal", .post))
        #expect(try await sender.send(try request("/b", host: nil)).cache?.isStored == true)
        #expect(try await sender.send(try request("/b", host: "internal")).cache == .miss)
    }

    @Test(arguments: ["/a", "/a?token=1"])
    func allHostsOfAUrlAreRemoved(_ path: String) async throws {
        lab.answers(200, [("Cache-Control", "max-age=60")])
        for host in ["internal", nil] { _ = try await lab.sender.send(try request(path, host: host)) }
        try await lab.get("/other")
        try await lab.cache.remove(for: #require(URL(string: "https://example.com" + path)))
        #expect(await lab.cache.statistics.entries == 1)
    }
}

/// Redirects `/a` to `/b`, and names `/b` in the response to a `POST`.
private struct RedirectingToB: TraitDeclaring {
    var leaves = false
    var named: String?
    let traits = SenderTraits()

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        var response = HttpResponse(request: request, status: 200, headers: ["Cache-Control": "max-age=60"])
        if let named, request.method == .post { response.headers[named] = "/b" }
        guard request.url.path == "/a" else { return response }
        response.url = try #require(URL(string: "https://example.com/b"))
        response.hasLeftOrigin = leaves
        return response
    }
}
