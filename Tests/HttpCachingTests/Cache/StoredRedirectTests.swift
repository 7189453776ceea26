import HttpMessages
import NetChainTestKit
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Redirects that a sender doesn't follow, and a cache that it shares with one that does.
@Suite struct StoredRedirectTests {
    private let lab = CacheLab()

    private func sender(follows: Bool, _ status: Int = 301, location: String? = "/b") -> CachingSender {
        var server = RedirectingServer(status: status, location: location)
        server.traits.followsRedirects = follows
        return CachingSender(next: server, cache: lab.cache)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsServedToASenderThatPassesIt(_ status: Int) async throws {
        let passing = sender(follows: false, status)
        _ = try await passing.send(lab.request())
        let again = try await passing.send(lab.request())
        #expect(again.status == status && again.cache?.isStored == true)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsNoResponseForASenderThatFollowsIt(_ status: Int) async throws {
        _ = try await sender(follows: false, status).send(lab.request())
        let following = sender(follows: true, status)
        let followed = try await following.send(lab.request())
        #expect(followed.status == 200 && followed.cache == .miss)
        #expect(try await following.send(lab.request()).status == 200)
        // Each has its own response.
        #expect(try await sender(follows: false, status).send(lab.request()).status == status)
        #expect(try await following.send(lab.request(.get, "/b")).cache?.isStored == true)
    }

    @Test func withoutALocationThereIsNothingToFollow() async throws {
        let following = sender(follows: true, location: nil)
        _ = try await following.send(lab.request())
        let again = try await following.send(lab.request())
        #expect(again.status == 301 && again.cache?.isStored == true)
    }

    @Test func aRedirectedResponseReplacesThatOfItsUrl() async throws {
        let following = sender(follows: true)
        for _ in 0..<3 { _ = try await following.send(lab.request()) }
        #expect(await lab.cache.statistics.entries == 1)
        #expect(try await following.send(lab.request(.get, "/b")).cache?.isStored == true)
    }

    @Test func aRedirectReplacesWhatItsUrlHad() async throws {
        _ = try await sender(follows: true, 200, location: nil).send(lab.request())
        let following = sender(follows: true)
        #expect(try await following.send(lab.request()).cache?.isStored == true)
        _ = try await following.send(lab.request(.get, "/a", [], .reload))
        #expect(try await following.send(lab.request()).cache == .miss)
        #expect(await lab.cache.statistics.entries == 1)
    }

    @Test func theTraitIsThatOfTheConfiguration() {
        var configuration = CurlConfiguration()
        #expect(configuration.makeTraits().followsRedirects)
        configuration.redirects.limit = 0
        #expect(!configuration.makeTraits().followsRedirects)
    }
}

/// Redirects to another path, which it follows or not.
private struct RedirectingServer: RequestSender, TraitDeclaring {
    let status: Int
    let location: String?
    var traits = SenderTraits()

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        let headers: HttpHeaders = ["Cache-Control": "max-age=60"]
        guard let location, traits.followsRedirects else {
            var response = HttpResponse(request: request, status: status, headers: headers)
            response.headers["Location"] = location
            return response
        }
        let target = RedirectRule.target(of: location, from: request.url)
        return HttpResponse(request: request, url: target, status: 200, headers: headers, data: Data("b".utf8))
    }
}
