#if os(Linux)
import NodeCore
import Testing
@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which servers may see a client certificate.
struct ClientCertificateTests {
    private typealias Certificate = CurlRequestSender.Configuration.Tls.ClientCertificate

    private static let file = URL(fileURLWithPath: "/dev/null")

    /// For each hop of a request that is redirected along `path`, whether its server may see the certificate.
    private func sightings(_ path: [String], _ origins: [String]? = nil, isLink: Bool = false) throws -> [Bool] {
        let certificate = Certificate(
            certificate: Self.file, key: Self.file, origins: try origins?.map { try #require(URL(string: $0)) })
        let urls = try path.map { try #require(URL(string: $0)) }
        var request = HttpRequest(method: .get, url: urls[0])
        request.options.isLinkToOtherOrigin = isLink
        let transfer = CurlTransfer(
            request, settings: CurlSettings(CurlRequestSender.Configuration())
        ) { _ in }
        return urls.indices.map { index in
            if index > 0 {
                var next = transfer.plan.request
                next.url = urls[index]
                transfer.follow(next, 302)
            }
            return transfer.plan.mayShow(certificate)
        }
    }

    @Test func withoutAListTheRequestsOriginAloneSeesIt() throws {
        #expect(try sightings(["https://a.example/x", "https://A.example:443/y"]) == [true, true])
        #expect(try sightings(["https://a.example/", "https://b.example/"]) == [true, false])
        #expect(try sightings(["https://a.example/", "https://a.example:444/"]) == [true, false])
        #expect(try sightings(["https://a.example/", "https://a.example@b.example/"]) == [true, false])
    }

    @Test func aWayBackDoesNotShowItAgain() throws {
        let path = ["https://a.example/", "https://b.example/", "https://a.example/"]
        #expect(try sightings(path) == [true, false, false])
    }

    @Test func aLinkToAnotherOriginDoesNotShowIt() throws {
        #expect(try sightings(["https://a.example/x", "https://a.example/y"], isLink: true) == [false, false])
        #expect(try sightings(["https://a.example/"], ["https://a.example"], isLink: true) == [true])
    }

    @Test func aListNamesAllThatSeeIt() throws {
        let path = ["https://a.example/", "https://b.example/", "https://c.example/", "https://b.example:443/x"]
        #expect(try sightings(path, ["https://b.example"]) == [false, true, false, true])
        #expect(try sightings(path, []) == [false, false, false, false])
    }

    @Test(arguments: ["http://a.example", "a.example", "https:///x"])
    func whatIsNoOriginOfHttpsIsRefused(origin: String) throws {
        var configuration = CurlRequestSender.Configuration()
        configuration.tls.clientCertificate = Certificate(
            certificate: Self.file, key: Self.file, origins: [try #require(URL(string: origin))])
        #expect(
            throws: SenderConfigurationError(
                setting: "tls.clientCertificate.origins", reason: "each must be an https URL with a host")
        ) { try CurlRequestSender(configuration: configuration) }
    }
}
#endif
