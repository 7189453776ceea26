import HttpMessages
import NetChainTestKit
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Credentials that a sender behind the cache adds: certificates, cookies, and headers of a wrapping sender.
@Suite struct AddedCredentialsTests {
    private let lab = CacheLab()

    private func sender(_ next: any RequestSender) -> CachingSender { CachingSender(next: next, cache: lab.cache) }

    /// A sender as one with a client certificate.
    private func certificate(_ name: String, _ server: UserServer = UserServer()) -> CachingSender {
        var server = server
        server.traits.credentials = name
        server.user = name
        return sender(server)
    }

    @Test func clientsWithOtherCertificatesNeverShare() async throws {
        #expect(try await certificate("a").send(lab.request()).text == "a")
        #expect(try await certificate("b").send(lab.request()).text == "b")
        let again = try await certificate("a").send(lab.request())
        #expect(again.text == "a" && again.cache?.isStored == true)
        #expect(try await sender(UserServer()).send(lab.request()).cache == .miss)
    }

    /// A redirect to another origin and a link to it are requested without the certificate.
    @Test(arguments: [true, false])
    func aResponseWithoutTheCertificateIsNoneForIt(isRedirect: Bool) async throws {
        let other = try #require(URL(string: "https://other.com/b"))
        var bare = try lab.request()
        if !isRedirect {
            bare.url = other
            bare.options.isLinkToOtherOrigin = true
        }
        var shown = try lab.request()
        shown.url = other
        let server = UserServer(redirected: isRedirect ? other : nil)
        #expect(try await certificate("a", server).send(bare).text == "guest")
        #expect(await lab.cache.statistics.entries == 0)
        let first = try await certificate("a").send(shown)
        #expect(first.text == "a" && first.cache == .miss)
        // The other way round.
        #expect(try await certificate("a", server).send(bare).text == "guest")
        let second = try await certificate("a").send(shown)
        #expect(second.text == "a" && second.cache?.isStored == true)
    }

    @Test func publicResponsesAreForAllCertificates() async throws {
        let server = UserServer(control: "public, max-age=60")
        _ = try await certificate("a", server).send(lab.request())
        #expect(try await certificate("b", server).send(lab.request()).text == "a")
    }

    @Test func whatVariesByCookiesOfTheSenderIsNotStored() async throws {
        var server = UserServer(control: "public, max-age=60", vary: "Cookie")
        let plain = sender(server)
        server.traits.addsCookies = true
        server.traits.credentials = "jar"
        let jar = sender(server)
        _ = try await jar.send(lab.request())
        #expect(try await jar.send(lab.request()).cache == .miss)
        // Without a jar the cache knows that there is no cookie.
        _ = try await plain.send(lab.request())
        #expect(try await plain.send(lab.request()).cache?.isStored == true)
        #expect(try await jar.send(lab.request()).cache == .miss)
    }

    @Test func aHeaderThatAWrapperAddsIsACredential() async throws {
        let server = UserServer()
        let first = sender(Wrapper(next: server, name: "Authorization", value: "a"))
        let second = sender(Wrapper(next: server, name: "Authorization", value: "b"))
        #expect(try await first.send(lab.request()).text == "a")
        #expect(try await second.send(lab.request()).text == "b")
        #expect(await lab.cache.statistics.entries == 0)
        let shared = UserServer(control: "public, max-age=60")
        _ = try await sender(Wrapper(next: shared, name: "Authorization", value: "a")).send(lab.request())
        #expect(await lab.cache.statistics.entries == 1)
    }

    @Test(arguments: [("max-age=60", 0), ("public, max-age=60", 1)])
    func aPostWithACredentialThatAWrapperAddsIsStoredForEveryoneOnly(_ control: String, _ count: Int) async throws {
        let server = UserServer(control: control, location: "/a")
        _ = try await sender(Wrapper(next: server, name: "Authorization", value: "a")).send(lab.request(.post))
        #expect(await lab.cache.statistics.entries == count)
        let other = sender(Wrapper(next: server, name: "Authorization", value: "b"))
        #expect(try await other.send(lab.request()).text == (count == 0 ? "b" : "a"))
    }

    @Test func aPostThatVariesByAHeaderThatAWrapperChangesIsNotStored() async throws {
        let server = UserServer(vary: "X-Trace", location: "/a")
        _ = try await sender(Wrapper(next: server, name: "X-Trace", value: "1")).send(lab.request(.post))
        #expect(await lab.cache.statistics.entries == 0)
    }

    @Test func aWrapperGetsNoResponseOfARequestWithoutIt() async throws {
        _ = try await sender(UserServer()).send(lab.request())
        let wrapped = sender(Wrapper(next: UserServer(), name: "Authorization", value: "a"))
        #expect(try await wrapped.send(lab.request()).text == "a")
    }

    @Test func whatVariesByAHeaderThatAWrapperChangesIsNotStored() async throws {
        for vary in ["X-Trace", "X-Other"] {
            let wrapped = sender(Wrapper(next: UserServer(vary: vary), name: "X-Trace", value: "1"))
            _ = try await wrapped.send(lab.request(.get, "/\(vary)"))
            #expect(try await wrapped.send(lab.request(.get, "/\(vary)")).cache?.isStored == (vary == "X-Other"))
        }
    }

    @Test func aUrlThatAWrapperChangesMayBeACredential() async throws {
        let wrapped = sender(Wrapper(next: UserServer(), name: "X", value: "1", query: "user=1"))
        _ = try await wrapped.send(lab.request())
        #expect(await lab.cache.statistics.entries == 0)
    }

    @Test func aHeaderThatTheSenderDeclaresIsACredential() async throws {
        let sender = sender(DeclaringServer())
        _ = try await sender.send(try lab.request(.get, "/a", [("X-User", "1")]))
        #expect(try await sender.send(try lab.request(.get, "/a", [("X-User", "2")])).cache == .miss)
        #expect(try await sender.send(try lab.request(.get, "/a", [("X-User", "1")])).cache?.isStored == true)
    }

    // MARK: - Traits

    @Test func theTraitsAreThoseOfTheConfiguration() {
        var configuration = CurlConfiguration()
        #expect(configuration.makeTraits().credentials == nil && !configuration.makeTraits().addsCookies)
        configuration.limits.responseSize = 7
        #expect(configuration.makeTraits().responseSize == 7)
        configuration.cookies = .memory
        // Each sender has its own jar.
        #expect(configuration.makeTraits().addsCookies)
        #expect(configuration.makeTraits().credentials != configuration.makeTraits().credentials)
    }

    @Test func aCertificateIsNamedAfterItsContent() throws {
        let folder = try TestFolder()
        func credentials(_ name: String, _ text: String?) throws -> String? {
            let file = folder.url.appending(path: name)
            if let text { try Data(text.utf8).write(to: file) }
            var configuration = CurlConfiguration()
            configuration.tls.clientCertificate = .init(certificate: file, key: folder.url.appending(path: "key.pem"))
            return configuration.makeTraits().credentials
        }
        let first = try credentials("a.pem", "one")
        #expect(try first != nil && credentials("a.pem", "one") == first && credentials("b.pem", "one") == first)
        // The next user's certificate in the same file.
        #expect(try credentials("a.pem", "two") != first)
        // One that can't be read might be any.
        #expect(try credentials("c.pem", nil) != credentials("c.pem", nil))
    }

    @Test func aWrapperThatDeclaresNothingIsNamedAfterItsType() {
        let wrapper = SenderTraits(of: Wrapper(next: UserServer(), name: "", value: ""))
        #expect(wrapper.credentials?.contains("Wrapper") == true)
        var declared = SenderTraits()
        declared.credentials = "a"
        let caching = CachingSender(next: UserServer(traits: declared), cache: lab.cache)
        #expect(SenderTraits(of: caching).credentials == "a")
        #expect(SenderTraits(of: ScriptedRequestSender()).credentials == nil)
    }
}

/// Responds with the user that it authenticates.
private struct UserServer: RequestSender, TraitDeclaring {
    var control = "max-age=60"
    var vary: String?
    var location: String?
    var redirected: URL?
    var user: String?
    var traits = SenderTraits()

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        let isRedirected = redirected.map { $0 != request.url } ?? false
        // As a sender with a certificate, which another origin doesn't get.
        let shown = isRedirected || request.options.isLinkToOtherOrigin ? nil : user
        let name = shown ?? request.headers["Authorization"] ?? "guest"
        var response = HttpResponse(
            request: request, status: 200, headers: ["Cache-Control": control], data: Data(name.utf8))
        if let vary { response.headers["Vary"] = vary }
        response.headers["Content-Location"] = location
        if let redirected, isRedirected {
            response.url = redirected
            response.hasLeftOrigin = true
        }
        return response
    }
}

/// An application's sender, which changes requests.
private struct Wrapper: RequestSender {
    let next: UserServer
    let name: String
    let value: String
    var query: String?

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        var request = request
        request.headers[name] = value
        if let query { request.url = try #require(URL(string: request.url.absoluteString + "?" + query)) }
        return try await next.send(request)
    }
}

private struct DeclaringServer: TraitDeclaring {
    var traits: SenderTraits {
        var traits = SenderTraits()
        traits.declaredSecrets = ["x-user"]
        return traits
    }

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        HttpResponse(request: request, status: 200, headers: ["Cache-Control": "max-age=60"])
    }
}
