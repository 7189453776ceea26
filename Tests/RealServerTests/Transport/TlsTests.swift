import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(
    .needs(
        .nginxTls, .nginxUntrusted, .nginxWrongHost, .nginxExpired, .nginxTls12, .nginxClient, .authorities, .pin,
        .clientCertificate, .clientKey, .clientSecretKey))
struct TlsTests {
    private static let otherPin = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func load(
        _ path: String = "/users", from server: ServerVariable, _ configuration: CurlRequestSender.Configuration
    ) async throws -> HttpResponse {
        try await CurlRequestSender(configuration: configuration).observed(rawRequest(server, path)).value
    }

    private func failure(
        _ server: ServerVariable, _ configuration: CurlRequestSender.Configuration
    ) async -> TransportError.Code? {
        await thrown(TransportError.self) { try await load(from: server, configuration) }?.code
    }

    @Test func aCertificateOfTheGivenAuthorityIsAccepted() async throws {
        let response = try await load(from: .nginxTls, .tls())
        #expect(response.status == 200)
        #expect(response.metrics.tls > .zero)
    }

    @Test func theTestsAuthorityIsNotTheSystems() async throws {
        #expect(await failure(.nginxTls, .loopback()) == .certificateRejected)
    }

    @Test(arguments: [ServerVariable.nginxUntrusted, .nginxWrongHost, .nginxExpired])
    func aWrongCertificateIsRejected(server: ServerVariable) async throws {
        #expect(try await failure(server, .tls()) == .certificateRejected)
    }

    @Test(arguments: [ServerVariable.nginxUntrusted, .nginxWrongHost, .nginxExpired])
    func nothingIsVerifiedWhereThatIsTurnedOff(server: ServerVariable) async throws {
        let response = try await load(from: server, .loopback { $0.tls.verifiesServer = false })
        #expect(response.status == 200)
    }

    @Test func theRightPinIsAccepted() async throws {
        let pin = try ServerVariable.pin.required
        for pins in [[pin], [Self.otherPin, pin], [pin, Self.otherPin]] {
            #expect(try await load(from: .nginxTls, .tls { $0.tls.pins = pins }).status == 200)
        }
    }

    @Test func anotherPinIsAMismatch() async throws {
        #expect(try await failure(.nginxTls, .tls { $0.tls.pins = [Self.otherPin] }) == .pinMismatch)
    }

    @Test func nothingIsSentToAServerThatIsNotTrusted() async throws {
        let mark = UUID().uuidString
        for (index, server) in [ServerVariable.nginxTls, .nginxUntrusted, .nginxWrongHost, .nginxExpired].enumerated() {
            let configuration = try CurlRequestSender.Configuration.tls {
                if index == 0 { $0.tls.pins = [Self.otherPin] }
            }
            await #expect(throws: TransportError.self) {
                try await load("/users?refused=\(mark)", from: server, configuration)
            }
        }
        _ = try await load("/users?taken=\(mark)", from: .nginxTls, .tls())
        // nginx writes a line for each request once it is done with it, the one that was taken at last.
        let log = try ServerVariable.authorities.file.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("nginx-access.log")
        var lines = ""
        let deadline = ContinuousClock.now + .seconds(20)
        while !lines.contains("taken=\(mark)"), ContinuousClock.now < deadline {
            lines = try String(contentsOf: log, encoding: .utf8)
            await Task.yield()
        }
        #expect(lines.contains("taken=\(mark)"))
        #expect(!lines.contains("refused=\(mark)"))
    }

    @Test func aPinDoesNotTakeThePlaceOfTheCertificate() async throws {
        let pin = try ServerVariable.pin.required
        #expect(await failure(.nginxTls, .loopback { $0.tls.pins = [pin] }) == .certificateRejected)
    }

    @Test func anOlderVersionThanAcceptedFails() async throws {
        #expect(try await load(from: .nginxTls12, .tls()).status == 200)
        #expect(try await failure(.nginxTls12, .tls { $0.tls.minimumVersion = .tls13 }) == .tlsFailed)
        #expect(try await load(from: .nginxTls, .tls { $0.tls.minimumVersion = .tls13 }).status == 200)
    }

    @Test func plainHttpIsNoTls() async throws {
        let url = try #require(URL(string: ServerVariable.nginx.required.replacing("http:", with: "https:")))
        let sender = try CurlRequestSender(configuration: .tls())
        let error = await thrown(TransportError.self) {
            try await sender.observed(HttpRequest(method: .get, url: url)).value
        }
        #expect(error?.code == .tlsFailed)
    }

    @Test func aClientShowsItsCertificate() async throws {
        let certificate = CurlRequestSender.Configuration.Tls.ClientCertificate(
            certificate: try ServerVariable.clientCertificate.file, key: try ServerVariable.clientKey.file)
        let response = try await load("/client", from: .nginxClient, .tls { $0.tls.clientCertificate = certificate })
        #expect(String(decoding: response.data, as: UTF8.self) == "CN=NetChainKit tests client")
    }

    @Test func theKeyOfAClientMayBeEncrypted() async throws {
        var certificate = CurlRequestSender.Configuration.Tls.ClientCertificate(
            certificate: try ServerVariable.clientCertificate.file, key: try ServerVariable.clientSecretKey.file,
            password: "pass:word")
        let response = try await load("/client", from: .nginxClient, .tls { $0.tls.clientCertificate = certificate })
        #expect(String(decoding: response.data, as: UTF8.self) == "CN=NetChainKit tests client")
        certificate.password = "wrong"
        let configuration = try CurlRequestSender.Configuration.tls { $0.tls.clientCertificate = certificate }
        #expect(await failure(.nginxClient, configuration) == .clientCertificateFailed)
    }

    @Test func withoutACertificateTheServerRefuses() async throws {
        let response = try await load("/client", from: .nginxClient, .tls())
        #expect(response.status == 400)
    }

    @Test func aFileOfAuthoritiesThatHoldsNoneIsAnError() async throws {
        let file = try TemporaryFile("authorities.pem", Data("none".utf8))
        let code = await failure(.nginxTls, .loopback { $0.tls.trustRoots = .file(file.url) })
        #expect(code == .tlsConfiguration)
    }
}
