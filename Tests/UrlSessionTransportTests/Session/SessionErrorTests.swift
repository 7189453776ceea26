import Foundation
import Testing
import UrlTransport

@testable import UrlSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct SessionErrorTests {
    @Test(
        arguments: [
            (URLError(.fileDoesNotExist), .uploadFailed), (URLError(.fileIsDirectory), .uploadFailed),
            (URLError(.noPermissionsToReadFile), .uploadFailed),
            (URLError(.appTransportSecurityRequiresSecureConnection), .invalidUrl),
            (POSIXError(.ECONNABORTED), .connectionLost), (POSIXError(.ECONNRESET), .connectionLost),
            (POSIXError(.ENOTCONN), .connectionLost), (POSIXError(.EPROTO), .protocolViolation),
            (POSIXError(.ENOMEM), .internalFailure),
        ] as [(any Error, TransportError.Code)])
    func anErrorOfTheSessionHasACode(error: any Error, code: TransportError.Code) {
        #expect(TransportError.Code(error, after: nil) == code)
    }

    @Test func aProxyIsQuotedWithoutItsPassword() throws {
        let request = HttpRequest(method: .get, url: try #require(URL(string: "http://127.0.0.1/")))
        let words = "Unsupported proxy syntax in 'bob:hunter2/x@h:3128'"
        let failure = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: words])
        let error = SessionTransfer(request).error(failure, after: nil)
        #expect(error.reason == "Unsupported proxy syntax in '***@h:3128'")
        #expect(!"\(error.cause as Any)".contains("hunter2"))
    }

    #if canImport(FoundationNetworking)
    @Test func aHandshakeThatIsResetIsALostConnection() {
        for words in [
            "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", "Recv failure: Connection reset by peer",
        ] {
            let failure = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: words])
            #expect(TransportError.Code(failure, after: nil) == .connectionLost)
        }
    }

    /// A proxy may have sent its head before.
    @Test(arguments: [
        ("SSL certificate problem: certificate has expired", TransportError.Code.certificateRejected),
        ("SSL: no alternative certificate subject name matches target host name 'h'", .certificateRejected),
        ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", .connectionLost),
        ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .tlsFailed),
        ("OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 104", .truncatedResponse),
        ("Recv failure: Connection reset by peer", .truncatedResponse),
    ])
    func aFailureOfTlsIsNoTruncatedResponse(words: String, code: TransportError.Code) throws {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        let failure = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: words])
        #expect(TransportError.Code(failure, after: head) == code)
    }
    #endif

    @Test func aConnectionThatIsResetAfterTheHeadTruncatesTheResponse() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        #expect(TransportError.Code(POSIXError(.ECONNRESET), after: head) == .truncatedResponse)
    }
}
