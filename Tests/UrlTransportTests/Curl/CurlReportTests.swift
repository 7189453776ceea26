#if os(Linux)
import CNetChainCurl
import Testing
@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What libcurl's report of a failed hop means.
struct CurlReportTests {
    @Test(arguments: [
        (CURLE_OK, "", CurlReport.Completion.completed), (CURLE_SEND_ERROR, "", .connectionLost),
        (CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", .connectionLost),
        (CURLE_RECV_ERROR, "Illegal or missing hexadecimal sequence in chunked-encoding", .failed),
        (CURLE_GOT_NOTHING, "Empty reply from server", .connectionLost), (CURLE_HTTP2, "", .connectionLost),
        (CURLE_PARTIAL_FILE, "HTTP/2 stream 3 was not closed cleanly", .connectionLost),
        (CURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.example", .connectionLost),
        (CURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: Connection reset by peer", .connectionLost),
        (CURLE_SSL_CONNECT_ERROR, "Send failure: Broken pipe", .connectionLost),
        (CURLE_SSL_CONNECT_ERROR, "TLS connect error: unexpected eof while reading", .connectionLost),
        (CURLE_SSL_CONNECT_ERROR, "tlsv1 alert protocol version", .failed),
        (CURLE_FAILED_INIT, "[CONN-2-0] send: no filter connected", .connectionLost), (CURLE_FAILED_INIT, "", .failed),
        (CURLE_PEER_FAILED_VERIFICATION, "certificate subject name 'no filter connected' does not match", .failed),
        (CURLE_OPERATION_TIMEDOUT, "", .failed), (CURLE_COULDNT_CONNECT, "", .failed),
    ])
    func libcurlsResultSaysWhetherTheConnectionWasLost(
        result: CURLcode, message: String, expected: CurlReport.Completion
    ) {
        #expect(CurlReport(result: result, message: message).completion == expected)
    }

    // MARK: Culprits

    private enum Proxy {
        case none, http, https
    }

    private func culprit(
        of report: CurlReport, _ scheme: String = "https", _ proxy: Proxy = .none, isSent: Bool = false,
        hasResponse: Bool = false
    ) throws -> Exchange.Culprit? {
        var configuration = CurlConfiguration()
        configuration.proxy =
            switch proxy {
            case .none: .none
            case .http: .url(try #require(URL(string: "http://proxy.example:3128")))
            case .https: .url(try #require(URL(string: "https://proxy.example:3128")))
            }
        let request = HttpRequest(method: .get, url: try #require(URL(string: "\(scheme)://a.example/")))
        var exchange = Exchange()
        if isSent { _ = exchange.didCheck(.send) }
        if hasResponse {
            _ = try Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes {
                try exchange.receive(line: $0, to: request, limit: 1000, mayBeHttp2: false)
            }
        }
        return report.culprit(exchange, HopPlan(request, CurlSettings(configuration)))
    }

    private static let alert = "error:0A00045C:SSL routines::tlsv13 alert certificate required"
    private static let unspecificAlert = "error:0A000410:SSL routines::sslv3 alert handshake failure"

    @Test func theServerRejectsTheClientCertificate() throws {
        let alert = CurlReport(result: CURLE_RECV_ERROR, message: Self.alert, writtenHead: 100)
        #expect(try culprit(of: alert, isSent: true) == .clientCertificate)
        // Its response shows that it has accepted the certificate.
        #expect(try culprit(of: alert, isSent: true, hasResponse: true) == nil)
        #expect(try culprit(of: alert, "http", isSent: true) == nil)
        var unspecific = CurlReport(result: CURLE_RECV_ERROR, message: Self.unspecificAlert, writtenHead: 100)
        #expect(try culprit(of: unspecific, isSent: true) == nil)
        unspecific.hasCertificateRequest = true
        #expect(try culprit(of: unspecific, isSent: true) == .clientCertificate)
    }

    /// The name in the server's certificate may be any text.
    @Test func aServersCertificateThatIsRejectedIsNoAlert() throws {
        let message = "SSL: certificate subject name 'x alert certificate y' does not match target host name 'a.test'"
        #expect(try culprit(of: CurlReport(result: CURLE_PEER_FAILED_VERIFICATION, message: message)) == nil)
    }

    /// With TLS 1.3, a reset may hide the alert.
    @Test(arguments: [
        (
            CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", 0, Int64(0),
            Exchange.Culprit?.some(.clientCertificate)
        ),
        (CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", 100, 0, nil),
        (CURLE_SEND_ERROR, "Send failure: Broken pipe", 100, 0, .clientCertificate),
        (CURLE_SEND_ERROR, "Send failure: Broken pipe", 100, 10, nil),
        (CURLE_OPERATION_TIMEDOUT, "", 0, 0, nil),
    ])
    func aResetAfterACertificateRequestHidesAnAlert(
        result: CURLcode, message: String, head: Int, body: Int64, expected: Exchange.Culprit?
    ) throws {
        let report = CurlReport(
            result: result, message: message, hasCertificateRequest: true, writtenHead: head, writtenBody: body)
        #expect(try culprit(of: report, isSent: true) == expected)
    }

    @Test func theProxyMakesNoTunnel() throws {
        let rejection = CurlReport(result: CURLE_RECV_ERROR, tunnelStatus: 407)
        #expect(try culprit(of: rejection, "https", .http) == .proxy)
        #expect(try culprit(of: rejection, "https", .none) == nil)
        let success = CurlReport(result: CURLE_RECV_ERROR, tunnelStatus: 200)
        #expect(try culprit(of: success, "https", .http, isSent: true) == nil)
        // Its connection broke before the request was sent.
        #expect(try culprit(of: CurlReport(result: CURLE_GOT_NOTHING), "https", .http) == .proxy)
        #expect(try culprit(of: CurlReport(result: CURLE_GOT_NOTHING), "https", .http, isSent: true) == nil)
    }

    @Test func theProxyRejectsTheClientCertificate() throws {
        let alert = CurlReport(result: CURLE_RECV_ERROR, message: Self.alert)
        #expect(try culprit(of: alert, "http", .https) == .proxy)
        // A failed handshake says so in its reason.
        let handshake = CurlReport(result: CURLE_SSL_CONNECT_ERROR, message: Self.alert)
        #expect(try culprit(of: handshake, "http", .https) == nil)
        let reset = CurlReport(result: CURLE_SSL_CONNECT_ERROR, message: "SSL_connect: Connection reset by peer")
        #expect(try culprit(of: reset, "http", .https) == .proxy)
    }

    @Test func aFailedHandshakeIsThatOfAProxyWithTls() throws {
        let configuration = { (proxy: String) throws in
            var configuration = CurlConfiguration()
            configuration.proxy = .url(try #require(URL(string: proxy)))
            return CurlSettings(configuration)
        }
        let request = HttpRequest(method: .get, url: try #require(URL(string: "https://a.example/")))
        let report = CurlReport(result: CURLE_SSL_CONNECT_ERROR)
        #expect(report.hasFailedTlsOfProxy(HopPlan(request, try configuration("https://proxy.example"))))
        #expect(!report.hasFailedTlsOfProxy(HopPlan(request, try configuration("http://proxy.example"))))
        var afterTunnel = report
        afterTunnel.tunnelStatus = 200
        #expect(!afterTunnel.hasFailedTlsOfProxy(HopPlan(request, try configuration("https://proxy.example"))))
    }

    @Test func aCallbackThatEndedTheHopHasNoOtherCulprit() throws {
        let plan = HopPlan(
            HttpRequest(method: .get, url: try #require(URL(string: "https://a.example/"))),
            CurlSettings(CurlConfiguration()))
        var exchange = Exchange()
        exchange.abort(.reconnect)
        #expect(CurlReport(result: CURLE_RECV_ERROR, message: Self.alert).culprit(exchange, plan) == nil)
    }
}
#endif
