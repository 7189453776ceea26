#if os(Linux)
import CNetChainCurl
import Glibc
import Testing
@testable import UrlTransport

/// The mapping of libcurl's codes that no server on loopback can provoke.
struct CurlErrorTests {
    private func code(
        _ result: CURLcode, _ systemError: Int32 = 0, connected: Bool = true, message: String = "",
        hasResponseStarted: Bool = false, hasCompleteHead: Bool = true,
        hasRoute: Bool = true, usesProxy: Bool = false
    ) -> TransportError.Code {
        let progress = CurlProgressAtFailure(
            isConnected: connected, hasResponseStarted: hasResponseStarted, hasCompleteHead: hasCompleteHead,
            hasRequestTimedOut: false, usesProxy: usesProxy)
        return TransportError.Code(result, systemError: systemError, message: message, at: progress, hasRoute: hasRoute)
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
            ("STREAM_CLOSED (err 5)", nil), ("CANCEL (err 8)", nil), ("ENHANCE_YOUR_CALM (err 11)", nil), ("", nil),
        ] as [(String, LibcurlWorkarounds.StreamError?)])
    func theErrorOfAStreamSaysWhetherItBrokeTheProtocol(error: String, expected: LibcurlWorkarounds.StreamError?) {
        let message = "HTTP/2 stream 1 was not closed cleanly: \(error)"
        #expect(LibcurlWorkarounds.StreamError(message) == expected)
        #expect(LibcurlWorkarounds.fallsBackToHttp1(message) == (expected == .requiresHttp1))
        #expect(code(CURLE_HTTP2_STREAM, message: message) == (expected == nil ? .connectionLost : .protocolViolation))
        #expect(
            HopPhase.Completion(CURLE_HTTP2_STREAM, message: message)
                == (expected == .violation ? .failed : .connectionLost))
    }

    @Test func aLackOfMemoryWhileTheHeadComesMeansALineThatIsTooLong() {
        #expect(code(CURLE_OUT_OF_MEMORY, hasCompleteHead: false) == .headersTooLarge)
        #expect(code(CURLE_OUT_OF_MEMORY, connected: false, hasCompleteHead: false) == .internalFailure)
    }

    @Test func aHeaderThatLibcurlCanNotTakeApartIsTheServersFault() {
        #expect(code(CURLE_BAD_FUNCTION_ARGUMENT, hasResponseStarted: true, hasCompleteHead: false) == .invalidResponse)
        #expect(code(CURLE_BAD_FUNCTION_ARGUMENT, hasCompleteHead: false) == .internalFailure)
    }

    @Test(arguments: [
        (CURLE_SSL_CONNECT_ERROR, TransportError.Code.tlsFailed),
        (CURLE_PEER_FAILED_VERIFICATION, .certificateRejected),
        (CURLE_SSL_PINNEDPUBKEYNOTMATCH, .pinMismatch), (CURLE_SSL_CERTPROBLEM, .clientCertificateFailed),
        (CURLE_SSL_CACERT_BADFILE, .tlsConfiguration), (CURLE_HTTP2, .protocolViolation),
        (CURLE_HTTP2_STREAM, .connectionLost), (CURLE_OUT_OF_MEMORY, .internalFailure),
        (CURLE_COULDNT_RESOLVE_PROXY, .proxyFailed), (CURLE_FAILED_INIT, .internalFailure),
        (CURLE_SEND_FAIL_REWIND, .uploadFailed), (CURLE_GOT_NOTHING, .connectionLost),
    ])
    func libcurlsCodesHaveTheirKind(result: CURLcode, expected: TransportError.Code) {
        #expect(code(result) == expected)
    }

    @Test(arguments: [
        (CURLE_OK, "", HopPhase.Completion.completed), (CURLE_SEND_ERROR, "", .connectionLost),
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
        (CURLE_OPERATION_TIMEDOUT, "", .failed), (CURLE_COULDNT_CONNECT, "", .failed),
    ])
    func libcurlsResultSaysWhetherTheConnectionWasLost(
        result: CURLcode, message: String, expected: HopPhase.Completion
    ) {
        #expect(HopPhase.Completion(result, message: message) == expected)
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
