#if os(Linux)
import CNetChainCurl
import Glibc
import HttpMessages

/// Works around bugs of libcurl.
///
/// A row can be removed when its versions are no longer supported. Where a test is named, it fails without the workaround.
///
/// | bug | versions | workaround | test |
/// |---|---|---|---|
/// | garbage on a reused HTTP/2 connection without TLS (https://github.com/curl/curl/pull/10643) | 7.88 | ``canReusePlainHttp2`` | `Http2Tests` |
/// | a response over HTTP/2 is lost if it arrives before the end of the request's body (https://github.com/curl/curl/issues/15316) | before 8.14 | ``maySendOverHttp2(_:)`` | `EarlyResponseTests` |
/// | a server's STREAM_CLOSED fails a transfer whose response has ended | 8.14 and newer | ``StreamError/closed`` | `ExchangeTests` |
/// | a request that may use HTTP/2 is written into a connection of HTTP/1 in use | 7.88 | ``MultiLoad/mayBeHttp2`` and ``Connection/lastResponseIsWhole`` | `Http2Tests` |
/// | a request's body that ends early fails the transfer, although the server has rejected the request | 8.7 and newer | ``acceptsShortBodies`` | `CurlStreamedUploadTests` |
/// | no timeout for a transfer that waits for a connection (`CURLOPT_PIPEWAIT`) | 7.88 | ``TransferScheduler/failOverdue(_:)`` | `CurlFailureTests` |
/// | a visit of all transfers may forget one that waits for a connection | 8.14 | ``CurlMultiHandle/process(_:_:streams:)`` | `EndedConnectionTests` |
/// | endless `CURLOPT_PIPEWAIT` for HTTP/2 without TLS, until the server has responded over the connection | 8.14 | ``Pool/Part/mayWaitForConnection`` | `PoolTests` |
/// | a stream that the server resets with NO_ERROR passes for a complete one, without a length | all | none | none |
/// | endless `CURLOPT_PIPEWAIT` if no connection is kept | 7.88 | ``HopPlan/sharesConnections`` | `Http2Tests` |
/// | the close of a socket that was not connected is not reported, and the next address is not tried before another event | 7.88 | ``EpollSet`` | `CurlFailureTests` |
/// | each pause opens the window of an HTTP/2 stream again, and libcurl keeps what arrives, however much | 7.88 and newer | ``ResponseBody/isResuming`` | `Http2Tests` |
/// | certificate authorities parsed for each connection if a directory is set, too | 7.84 and newer | `netchain_use_authority_file_alone` | none: it costs time only |
/// | connections and addresses searched for each transfer | all | ``Pools`` | `benchmark-http.sh --only inflight` |
/// | HTTP/2 transfers not resumed for bytes that another one has read | 7.88 | ``EventLoopThread`` | `Http2Tests` |
/// | `curl_easy_reset` keeps the last header (a double free in 7.84.0 to 8.0.1), the host of cookies, the count of retries, `errno` | 7.74 and newer | a handle performs one hop, or several without it: ``SpareHandles`` | `CurlHandleTests` |
/// | a folded first header line is appended to the last header of the handle's last transfer, which is freed (https://github.com/curl/curl/issues/11101) | 7.84 to 8.0 | ``keepsLastHeader`` | `CurlHandleTests`, under valgrind |
/// | a truncated compressed body is accepted as complete | 7.88 | ``ContentDecoder`` | `CurlDecodingTests` |
/// | `0x5` is accepted as the last chunk; chunk extensions have no limit | 7.74 and newer | ``ChunkedBody`` | `CurlFramingTests` |
/// | requests that a server of HTTP/2 did not process are only named by messages | 7.88 and newer | ``StreamMessage`` | `ShortConnectionTests` |
/// | a request that a server of HTTP/2 wants over HTTP/1.1 is sent again without a report | 7.74 and newer | ``fallsBackToHttp1(_:)`` | `RejectedHttp2Tests` |
/// | a connection that ends before the request is sent, or in its TLS handshake, has no code of its own | 7.88 | ``wasLostBeforeSending(_:)`` | `CurlErrorTests` |
/// | a client certificate that the server rejects or requires has no code of its own with TLS 1.3 | all | ``CurlReport/culprit(_:_:)`` | `CurlTlsTests` |
/// | a message quotes a proxy that libcurl can't use, with its password | all | ``ProxyText`` | `CurlProxyTests` |
/// | a request whose stream is refused may never end | 8.14 | ``mayForgetRefusedStreams`` | network lab: goaway, reload |
/// | any method is sent again when a reused connection breaks | all | ``Exchange/admitSending(fallsBackToHttp1:)`` | `CurlConnectionTests` |
/// | with `Transfer-Encoding: identity`, the end of a body is that of the connection | all; `identity, chunked`: 8.14 | ``ResponseFraming/namesIdentity`` | `CurlFramingTests` |
/// | a message quotes a header that HTTP/2 forbids, with its value | 8.14 | ``withoutHeader(_:)`` | `CurlErrorTests` |
/// | bytes between two responses are read as the next one | 7.88 | ``ConnectionTable`` | `UnsolicitedBytesTests` |
/// | the bytes of written heads are not counted (https://github.com/curl/curl/issues/13269) | 8.7 | ``countsWrittenHeads`` | none |
/// | bytes that OpenSSL has written are not counted while others wait | 8.7 and newer | ``HopPlan/isCountedExactly`` | `ExchangeTests` |
enum LibcurlWorkarounds {
    // Constants, because libcurl composes texts for each call of curl_version_info(3).

    /// The version of the loaded libcurl, as in `LIBCURL_VERSION_NUM`.
    private static let version = curl_version_info(CURLVERSION_FIRST).pointee.version_num
    static let supportsHttp2 = curl_version_info(CURLVERSION_FIRST).pointee.features & CURL_VERSION_HTTP2 != 0
    /// Whether libcurl asks before it sends a request.
    static let asksBeforeSending = min(version, UInt32(LIBCURL_VERSION_NUM)) >= 0x075000
    /// Whether a handle can perform several hops. Tested with 7.88.1, 8.5 and 8.14; older versions than 7.84 are not.
    static let canReuseHandles = version >= 0x075400 && asksBeforeSending
    /// Whether a handle keeps a pointer to the last header of its last transfer, and reads it if the first header line of the
    /// next one is folded. With `CURLOPT_HEADER`, libcurl passes each line of a head to the write callback before it reads
    /// the pointer. That callback rejects such a line (``Exchange/admitLine(_:)``).
    static let keepsLastHeader = version >= 0x075400 && version < 0x080100
    static let canReusePlainHttp2 = version >> 8 != 0x0758
    /// Whether a hop may never end whose stream the server has refused (GOAWAY), unless libcurl runs it from time to time. 7.88
    /// ends it; versions up to 8.14 are not tested.
    static let mayForgetRefusedStreams = version >= 0x080000
    /// Whether `CURLINFO_REQUEST_SIZE` has the bytes of the head that were written.
    static let countsWrittenHeads = version < 0x080700 || version >= 0x080800
    /// Whether a body may end before its announced length.
    static let acceptsShortBodies = version < 0x080700
    /// Whether a response that arrives before the end of the request's body is kept with HTTP/2.
    private static let keepsEarlyResponses = version >= 0x080e00

    /// Whether a request with this body may negotiate HTTP/2.
    static func maySendOverHttp2(_ body: RequestBody) -> Bool {
        keepsEarlyResponses || body.isEmpty
    }

    /// Why a server sends GOAWAY.
    enum GoAwayReason {
        /// It closes the connection: NO_ERROR.
        case shutdown
        /// It wants HTTP/1.1: HTTP_1_1_REQUIRED (RFC 9113 §7).
        case requiresHttp1
        /// An error. The number of the last stream proves nothing: Node.js processes streams above it.
        case error

        init(error: Int) {
            switch error {
            case 0: self = .shutdown
            case 13: self = .requiresHttp1
            default: self = .error
            }
        }
    }

    /// What a message of libcurl says of a stream of HTTP/2. libcurl reports it nowhere else, and sends a request that the
    /// server has not processed again by itself, as any other.
    enum StreamMessage: Equatable {
        /// The stream of the transfer.
        case opened(Int)
        /// GOAWAY: the server processes no stream of the connection above this one (RFC 9113 §6.8).
        case goAway(lastStream: Int, GoAwayReason)
        /// The server refused the stream of the transfer (RFC 9113 §8.7), or a GOAWAY excluded it, with an error or without.
        case refused

        /// nil for any other message.
        init?(_ message: UnsafeRawBufferPointer) {
            if message.starts(with: "REFUSED_STREAM".utf8) {
                self = .refused
            } else if message.starts(with: "Using".utf8), let id = Self.number(after: "Stream ID: ", in: message) {
                self = .opened(id)
            } else if message.starts(with: "[HTTP/2] [".utf8),
                let id = Self.number(after: "[HTTP/2] [", before: "] OPENED", in: message)
            {
                self = .opened(id)
            } else if message.starts(with: "rec".utf8), let error = Self.number(after: "error=", in: message),
                let last = Self.number(after: "last_stream=", in: message)
            {
                self = .goAway(lastStream: last, GoAwayReason(error: error))
            } else {
                return nil
            }
        }

        private static func number(
            after label: String, before end: String = "", in message: UnsafeRawBufferPointer
        ) -> Int? {
            guard let start = message.indices.first(where: { message[$0...].starts(with: label.utf8) }) else {
                return nil
            }
            let rest = message[start...].dropFirst(label.utf8.count)
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard rest.dropFirst(digits.count).starts(with: end.utf8) else { return nil }
            return Int(String(decoding: digits, as: UTF8.self))
        }
    }

    /// What libcurl's error message says of a stream of HTTP/2 that ended with an error, of the server or of nghttp2.
    enum StreamError: Equatable {
        /// The server doesn't process the request over HTTP/2 (HTTP_1_1_REQUIRED, RFC 9113 §7).
        case requiresHttp1
        /// The server violated HTTP/2, or says that the client did: PROTOCOL_ERROR, FLOW_CONTROL_ERROR,
        /// FRAME_SIZE_ERROR, COMPRESSION_ERROR.
        case violation
        /// The server got a part of the request's body after its response had ended (STREAM_CLOSED, RFC 9113 §5.1).
        case closed

        /// nil for any other message.
        init?(_ message: String) {
            if message.contains("Invalid HTTP header field") || message.contains("received invalid frame") {
                self = .violation
                return
            }
            switch message.split(separator: "(err ").last {
            case "5)": self = .closed
            case "13)": self = .requiresHttp1
            case "1)", "3)", "6)", "9)": self = .violation
            default: return nil
            }
        }
    }

    /// Whether libcurl is about to send a request again over HTTP/1.1, because the server requires it. On a new connection the
    /// message is then "Empty reply from server", and libcurl sends again for no other reason.
    ///
    /// - Parameter message: libcurl's error message when it opens a connection for a request that it has sent, or sends it
    ///   again.
    static func fallsBackToHttp1(_ message: String) -> Bool {
        StreamError(message) == .requiresHttp1 || message == "Empty reply from server"
    }

    /// Whether a message of libcurl or OpenSSL is about a connection that ended in its TLS handshake, by a reset or
    /// without a message of TLS, or that was closed before the request was written.
    static func wasLostBeforeSending(_ message: String) -> Bool {
        // libcurl 8.14 reports the system's words.
        ["SSL_ERROR_SYSCALL", "Connection reset", "Broken pipe", "unexpected eof", closedConnection]
            .contains(where: message.contains)
    }

    /// Whether a message of OpenSSL or GnuTLS is about an alert, which the peer has sent (RFC 8446 §6).
    static func isAlert(_ message: String) -> Bool {
        message.contains(" alert ")
    }

    /// Whether a message about an alert is about a certificate: the one that the client has shown, or not.
    static func isAboutCertificate(_ message: String) -> Bool {
        ["certificate", "unknown ca", "access denied"].contains(where: message.contains)
    }

    /// A message of libcurl without the header that it quotes, which a server has chosen.
    static func withoutHeader(_ message: String) -> String {
        message.firstRange(of: ", name: [").map { String(message[..<$0.lowerBound]) } ?? message
    }

    /// A part of libcurl's message about sending over a connection that is closed.
    static let closedConnection = "no filter connected"
}

/// libcurl's global initialization, once per process. libcurl reads `SSLKEYLOGFILE` only then.
let curlSetUp = (
    isReady: netchain_global_init() == CURLE_OK, hasKeyLog: environmentHas("SSLKEYLOGFILE")
)

/// Functions of libcurl's TLS library: SSL_pending(3) and gnutls_record_check_pending(3). That of its backend is used.
let tlsPending = (
    openssl: UInt(bitPattern: netchain_tls_function("SSL_pending")),
    gnutls: UInt(bitPattern: netchain_tls_function("gnutls_record_check_pending"))
)

/// Whether libcurl logs TLS keys: the environment sets `SSLKEYLOGFILE`, or did when libcurl was initialized. The
/// environment is read first, because the initialization creates the file.
var curlHasKeyLog: Bool { environmentHas("SSLKEYLOGFILE") || curlSetUp.hasKeyLog }

/// Whether the environment has a variable of this name that is not empty.
func environmentHas(_ name: String) -> Bool {
    getenv(name).map { $0.pointee != 0 } ?? false
}
#endif
