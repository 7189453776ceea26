#if os(Linux)
import CNetChainCurl
import Glibc
import Testing
@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The mapping of libcurl's codes that no server on loopback can provoke.
struct CurlErrorTests {
    private func code(
        _ result: CURLcode, _ systemError: Int32 = 0, connected: Bool = true, message: String = "",
        head: [String] = [], hasRoute: Bool = true, usesProxy: Bool = false
    ) -> TransportError.Code {
        var exchange = Exchange()
        for line in head {
            _ = try? Array((line + "\r\n").utf8).withUnsafeBytes {
                try exchange.receive(
                    line: $0, to: HttpRequest(method: .get, url: URL(filePath: "/")), limit: 1000, mayBeHttp2: false)
            }
        }
        let report = CurlReport(result: result, message: message, systemError: systemError, isConnected: connected)
        return TransportError.Code(
            report, of: exchange, usesProxy: usesProxy, hasTimedOut: false, hasRoute: hasRoute)
    }

    @Test(arguments: [ENETUNREACH, ENETDOWN, EHOSTUNREACH, EADDRNOTAVAIL])
    func anUnreachableHostMeansNoNetworkOnlyWhereNoRouteLeadsOut(systemError: Int32) {
        #expect(code(CURLE_COULDNT_CONNECT, systemError, connected: false, hasRoute: false) == .noNetwork)
        #expect(code(CURLE_COULDNT_CONNECT, systemError, connected: false) == .cannotConnect)
    }

    @Test func aNameWithoutAnAddressIsBlamedOnTheNetworkOnlyWhereThereIsNone() {
        #expect(code(CURLE_COULDNT_RESOLVE_HOST, connected: false, hasRoute: false) == .noNetwork)
        #expect(code(CURLE_COULDNT_RESOLVE_HOST, connected: false) == .hostNotFound)
    }

    @Test func aFailedConnectGoesByTheSystemsReason() {
        #expect(code(CURLE_COULDNT_CONNECT, ECONNREFUSED, connected: false, hasRoute: false) == .connectionRefused)
        #expect(code(CURLE_COULDNT_CONNECT, ETIMEDOUT, connected: false) == .connectTimedOut)
        #expect(code(CURLE_COULDNT_CONNECT, EACCES, connected: false) == .cannotConnect)
        #expect(code(CURLE_COULDNT_CONNECT, ECONNREFUSED, connected: false, usesProxy: true) == .proxyFailed)
    }

    @Test func aBrokenConnectionOfHttp2IsNoViolationOfTheProtocol() {
        #expect(code(CURLE_HTTP2, message: "Send failure: Broken pipe") == .connectionLost)
        #expect(code(CURLE_HTTP2, message: "nghttp2 recv error -902") == .protocolViolation)
    }

    @Test(
        arguments: [
            ("PROTOCOL_ERROR (err 1)", .violation), ("FLOW_CONTROL_ERROR (err 3)", .violation),
            ("FRAME_SIZE_ERROR (err 6)", .violation), ("COMPRESSION_ERROR (err 9)", .violation),
            ("HTTP_1_1_REQUIRED (err 13)", .requiresHttp1), ("INTERNAL_ERROR (err 2)", nil),
            ("STREAM_CLOSED (err 5)", .closed), ("CANCEL (err 8)", nil), ("ENHANCE_YOUR_CALM (err 11)", nil), ("", nil),
        ] as [(String, LibcurlWorkarounds.StreamError?)])
    func theErrorOfAStreamSaysWhetherItBrokeTheProtocol(error: String, expected: LibcurlWorkarounds.StreamError?) {
        let message = "HTTP/2 stream 1 was not closed cleanly: \(error)"
        #expect(LibcurlWorkarounds.StreamError(message) == expected)
        #expect(LibcurlWorkarounds.fallsBackToHttp1(message) == (expected == .requiresHttp1))
        let isViolation = expected == .violation || expected == .requiresHttp1
        #expect(code(CURLE_HTTP2_STREAM, message: message) == (isViolation ? .protocolViolation : .connectionLost))
        let report = CurlReport(result: CURLE_HTTP2_STREAM, message: message)
        #expect(report.completion == (expected == .violation ? .failed : .connectionLost))
    }

    /// libcurl 8.14 quotes the header.
    @Test func aHeaderThatHttp2ForbidsIsAViolationAndNotQuoted() {
        let text =
            "Invalid HTTP header field was received: frame type: 1, stream: 1, name: [set-cookie], value: [sid=geheim\r\n]"
        let message = LibcurlWorkarounds.withoutHeader(text)
        #expect(message == "Invalid HTTP header field was received: frame type: 1, stream: 1")
        #expect(code(CURLE_HTTP2_STREAM, message: message) == .protocolViolation)
        #expect(CurlReport(result: CURLE_HTTP2_STREAM, message: message).completion == .failed)
        #expect(LibcurlWorkarounds.withoutHeader("Recv failure") == "Recv failure")
    }

    @Test func aLackOfMemoryWhileTheHeadComesMeansALineThatIsTooLong() {
        #expect(code(CURLE_OUT_OF_MEMORY) == .headersTooLarge)
        #expect(code(CURLE_OUT_OF_MEMORY, connected: false) == .internalFailure)
        #expect(code(CURLE_OUT_OF_MEMORY, head: ["HTTP/1.1 200 OK", ""]) == .internalFailure)
    }

    @Test func aHeaderThatLibcurlCanNotTakeApartIsTheServersFault() {
        #expect(code(CURLE_BAD_FUNCTION_ARGUMENT, head: ["HTTP/1.1 200 OK"]) == .invalidResponse)
        #expect(code(CURLE_BAD_FUNCTION_ARGUMENT) == .internalFailure)
    }

    @Test(arguments: [
        (CURLE_SSL_CONNECT_ERROR, TransportError.Code.tlsFailed),
        (CURLE_PEER_FAILED_VERIFICATION, .certificateRejected),
        (CURLE_SSL_PINNEDPUBKEYNOTMATCH, .pinMismatch), (CURLE_SSL_CERTPROBLEM, .clientCertificateFailed),
        (CURLE_SSL_CACERT_BADFILE, .tlsConfiguration), (CURLE_HTTP2, .protocolViolation),
        (CURLE_HTTP2_STREAM, .connectionLost),
        (CURLE_COULDNT_RESOLVE_PROXY, .proxyFailed), (CURLE_FAILED_INIT, .internalFailure),
        (CURLE_SEND_FAIL_REWIND, .uploadFailed), (CURLE_GOT_NOTHING, .connectionLost),
    ])
    func libcurlsCodesHaveTheirKind(result: CURLcode, expected: TransportError.Code) {
        #expect(code(result) == expected)
    }

    @Test func aFailedHandshakeIsToldInWordsBeforeThoseOfOpenSsl() {
        let code = TransportError.Code.tlsFailed
        #expect(code.words("no protocols available", 0) == "the TLS handshake failed (no protocols available)")
        #expect(
            code.words("error:0A00010B:SSL routines::wrong version number", 0)
                == "the TLS handshake failed: does this port speak https? "
                + "(error:0A00010B:SSL routines::wrong version number)")
    }
}
#endif
