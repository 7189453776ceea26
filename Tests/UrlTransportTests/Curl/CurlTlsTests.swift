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

private let response =
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\nX-Resumed: @resumed@\r\nX-Client: @client@\r\n\r\n"

private let keyLogError = SenderConfigurationError(
    setting: "tls.allowsKeyLog", reason: "SSLKEYLOGFILE is set, or was for the first sender: libcurl logs all keys")

extension HttpResponse {
    fileprivate var isOk: Bool { status == 200 }
}

/// What a TLS server and the environment see of a sender: resumed sessions, the client certificate, the keys.
@Suite(.enabled(if: TlsServer.isAvailable, "needs openssl and Python"))
struct CurlTlsTests {
    // MARK: Sessions

    /// The server ends each connection after its response, and each transfer has its own libcurl handle.
    @Test(arguments: ["TLSv1_2", "TLSv1_3"], [0, 64])
    func aNewConnectionResumesTheSessionOfAnEarlierOne(version: String, idleConnections: Int) async throws {
        let server = try TlsServer(["x": response], version: version)
        func resumed(by sender: CurlRequestSender) async throws -> [String?] {
            var values: [String?] = []
            for _ in 0..<3 {
                let response = try await sender.send(.get, server.url("x", notifies: true)).value
                #expect(!response.metrics.reusedConnection)
                values.append(response.headers["X-Resumed"])
            }
            return values
        }
        for _ in 0..<2 {
            let sender = try makeSender {
                $0.tls.trustRoots = .file(server.certificate)
                $0.connections.maxIdle = idleConnections
            }
            #expect(try await resumed(by: sender) == ["False", "True", "True"])
        }
    }

    // MARK: The client certificate

    /// Servers of two origins, and a certificate that both accept. The first one redirects `/away` to the second one, with
    /// the name that it saw in the query.
    private struct Servers {
        let first: TlsServer
        let second: TlsServer
        private let folder: TestFolder
        private let client: (certificate: URL, key: URL)

        init() throws {
            folder = try TestFolder()
            client = try TlsServer.makeCertificate("client", in: folder)
            second = try TlsServer(["x": response], clientCertificate: client.certificate)
            let target = try second.url("x", notifies: true)
            let redirect =
                "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n"
                + "Location: \(target.absoluteString)?@client@\r\n\r\n"
            first = try TlsServer(["x": response, "away": redirect], clientCertificate: client.certificate)
        }

        func sender(_ origins: [URL]?) throws -> CurlRequestSender {
            let authorities = try folder.file(
                "authorities.pem", Data(contentsOf: first.certificate) + Data(contentsOf: second.certificate))
            return try makeSender {
                $0.tls.trustRoots = .file(authorities)
                $0.tls.clientCertificate = .init(certificate: client.certificate, key: client.key, origins: origins)
            }
        }

        /// The names that the servers saw: the first one directly, both along a redirect, the second one directly.
        func names(_ origins: [URL]?) async throws -> [String?] {
            let sender = try sender(origins)
            func response(of server: TlsServer, _ path: String) async throws -> HttpResponse {
                try await sender.send(.get, server.url(path, notifies: true)).value
            }
            let direct = try await response(of: first, "x")
            let redirected = try await response(of: first, "away")
            #expect(redirected.metrics.redirects == 1)
            return [
                direct.headers["X-Client"], redirected.url.query, redirected.headers["X-Client"],
                try await response(of: second, "x").headers["X-Client"],
            ]
        }
    }

    @Test func aRedirectShowsTheCertificateToNoOriginThatIsNotListed() async throws {
        let servers = try Servers()
        let (first, second) = try (servers.first.url("", notifies: true), servers.second.url("", notifies: true))
        #expect(try await servers.names([first]) == ["client", "client", "none", "none"])
        #expect(try await servers.names([second]) == ["none", "none", "client", "client"])
        #expect(try await servers.names([first, second]) == ["client", "client", "client", "client"])
        #expect(try await servers.names([]) == ["none", "none", "none", "none"])
    }

    @Test func withoutAListARedirectShowsTheCertificateToNoOtherOrigin() async throws {
        #expect(try await Servers().names(nil) == ["client", "client", "none", "client"])
    }

    /// On a terminal OpenSSL would ask for the password, and block the sender's thread.
    @Test func anEncryptedKeyNeedsItsPassword() async throws {
        let folder = try TestFolder()
        let client = try TlsServer.makeCertificate("client", in: folder, password: "swordfish")
        let server = try TlsServer(["x": response], clientCertificate: client.certificate)
        func sender(_ password: String?) throws -> CurlRequestSender {
            try makeSender {
                $0.tls.trustRoots = .file(server.certificate)
                $0.tls.clientCertificate = .init(certificate: client.certificate, key: client.key, password: password)
            }
        }
        let url = try server.url("x", notifies: true)
        #expect(try await sender("swordfish").send(.get, url).value.headers["X-Client"] == "client")
        try await sender(nil).expectFailure(.clientCertificateFailed, url)
    }

    private static let shown = "the server rejected the client certificate ("
    private static let missing = "the server requires a client certificate ("
    private static let unclear = "the TLS handshake failed: does the server require a client certificate? ("

    /// With TLS 1.3 the client's handshake is complete before the server has checked the certificate. With TLS 1.2 OpenSSL
    /// sends an alert for a missing one that may have another cause.
    @Test(
        arguments: [("TLSv1_2", true), ("TLSv1_2", false), ("TLSv1_3", true), ("TLSv1_3", false)],
        ["", "http/1.1"])
    func aServerThatRejectsOrMissesACertificateFailsTheRequestOnce(
        way: (version: String, isShown: Bool), protocols: String
    ) async throws {
        let (version, isShown) = way
        let folder = try TestFolder()
        let client = try TlsServer.makeCertificate("client", in: folder)
        let other = try TlsServer.makeCertificate("other", in: folder)
        let server = try TlsServer(
            ["x": response], version: version, clientCertificate: client.certificate, requiresCertificate: true,
            protocols: protocols)
        let url = try server.url("x", notifies: true)
        let sender = try makeSender {
            $0.tls.trustRoots = .file(server.certificate)
            if isShown { $0.tls.clientCertificate = .init(certificate: other.certificate, key: other.key) }
        }
        let isUnclear = version == "TLSv1_2" && !isShown
        let words = isUnclear ? Self.unclear : isShown ? Self.shown : Self.missing
        for method in [HttpMethod.get, .post, .get, .post, .get, .post] {
            let error = try await sender.expectFailure(
                isUnclear ? .tlsFailed : .clientCertificateFailed, method, url,
                body: method == .post ? .data(Data("x".utf8)) : .empty)
            #expect(error.reason.hasPrefix(words), "\(error)")
            #expect(error.wasProcessed == .no)
            #expect(!error.isRetryable)
        }
    }

    // MARK: The proxy

    private func send(
        _ scheme: String, through proxy: TlsServer, change: (inout CurlRequestSender.Configuration) -> Void
    ) async throws -> HttpResponse {
        let address = try proxy.url("", notifies: true)
        let sender = try makeSender {
            $0.proxy = .url(address)
            change(&$0)
        }
        return try await sender.send(.get, try #require(URL(string: "\(scheme)://nobody.invalid/notify/x"))).value
    }

    @Test func aProxysCertificateHasItsOwnSettings() async throws {
        let proxy = try TlsServer(["x": response])
        #expect(try await send("http", through: proxy) { $0.tls.proxy.trustRoots = .file(proxy.certificate) }.isOk)
        #expect(try await send("http", through: proxy) { $0.tls.proxy.verifiesServer = false }.isOk)
        for scheme in ["http", "https"] {
            let changes: [(inout CurlRequestSender.Configuration) -> Void] = [
                { $0.tls.trustRoots = .file(proxy.certificate) }, { $0.tls.verifiesServer = false },
            ]
            for change in changes {
                let error = await thrown(TransportError.self) { try await send(scheme, through: proxy, change: change) }
                #expect(error?.code == .certificateRejected)
                #expect(error?.reason.hasPrefix("the proxy's certificate was rejected (") == true, "\(error as Any)")
                #expect(error?.wasProcessed == .no)
            }
        }
    }

    @Test func aProxysTlsHasItsOwnMinimumVersion() async throws {
        let proxy = try TlsServer(["x": response], version: "TLSv1_2")
        #expect(
            try await send("http", through: proxy) {
                $0.tls.proxy.trustRoots = .file(proxy.certificate)
                $0.tls.minimumVersion = .tls13
            }.isOk)
        for scheme in ["http", "https"] {
            let error = await thrown(TransportError.self) {
                try await send(scheme, through: proxy) {
                    $0.tls.proxy.trustRoots = .file(proxy.certificate)
                    $0.tls.proxy.minimumVersion = .tls13
                }
            }
            #expect(error?.code == .tlsFailed)
            #expect(error?.reason.hasPrefix("the TLS handshake with the proxy failed (") == true, "\(error as Any)")
        }
    }

    @Test(arguments: ["TLSv1_2", "TLSv1_3"], ["http", "https"])
    func aProxyThatRequiresACertificateHasFailed(version: String, scheme: String) async throws {
        let folder = try TestFolder()
        let client = try TlsServer.makeCertificate("client", in: folder)
        let proxy = try TlsServer(
            ["x": response], version: version, clientCertificate: client.certificate, requiresCertificate: true)
        let error = await thrown(TransportError.self) {
            try await send(scheme, through: proxy) { $0.tls.proxy.trustRoots = .file(proxy.certificate) }
        }
        #expect(error?.code == (version == "TLSv1_2" ? .tlsFailed : .proxyFailed), "\(error as Any)")
        #expect(error?.reason.contains("the proxy") == true || error?.reason.contains("with the proxy") == true)
        #expect(error?.attempt == 1)
        #expect(error?.isRetryable == false)
    }

    #if compiler(>=6.2)  // Exit tests.
    @Test func theEnvironmentsProxyHasTheSettingsOfAProxy() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = try TlsServer(["x": response])
            for name in ["http_proxy", "https_proxy"] {
                setenv(name, try proxy.url("", notifies: true).absoluteString, 1)
            }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            for scheme in ["http", "https"] {
                let target = try #require(URL(string: "\(scheme)://nobody.invalid/notify/x"))
                let sender = try makeSender { $0.proxy = .environment }
                let error = await thrown(TransportError.self) { try await sender.send(.get, target).value }
                #expect(error?.code == .certificateRejected)
                #expect(error?.reason.hasPrefix("the proxy's certificate was rejected (") == true, "\(error as Any)")
            }
            let sender = try makeSender {
                $0.proxy = .environment
                $0.tls.proxy.trustRoots = .file(proxy.certificate)
            }
            let target = try #require(URL(string: "http://nobody.invalid/notify/x"))
            #expect(try await sender.send(.get, target).value.isOk)
        }
    }
    #endif

    // MARK: The keys

    #if compiler(>=6.2)  // Exit tests. libcurl reads the variable once in a process.
    @Test func anAllowedKeyLogIsWritten() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let log = folder.place("keys")
            setenv("SSLKEYLOGFILE", log.path, 1)
            let server = try TlsServer(["x": response])
            let sender = try makeSender { $0.tls.trustRoots = .file(server.certificate) }
            _ = try await sender.send(.get, server.url("x", notifies: true)).value
            #expect(String(decoding: try Data(contentsOf: log), as: UTF8.self).contains("CLIENT_TRAFFIC_SECRET_0 "))
            // libcurl keeps the log open, whatever becomes of the variable.
            unsetenv("SSLKEYLOGFILE")
            #expect(throws: keyLogError) { try makeSender { $0.tls.allowsKeyLog = false } }
        }
    }

    @Test func aRejectedKeyLogIsNotEvenCreated() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let log = folder.place("keys")
            setenv("SSLKEYLOGFILE", log.path, 1)
            #expect(throws: keyLogError) { try makeSender { $0.tls.allowsKeyLog = false } }
            #expect(!FileManager.default.fileExists(atPath: log.path))
            unsetenv("SSLKEYLOGFILE")
            let server = try TlsServer(["x": response])
            let sender = try makeSender {
                $0.tls.trustRoots = .file(server.certificate)
                $0.tls.allowsKeyLog = false
            }
            _ = try await sender.send(.get, server.url("x", notifies: true)).value
            #expect(!FileManager.default.fileExists(atPath: log.path))
        }
    }
    #endif
}
#endif
