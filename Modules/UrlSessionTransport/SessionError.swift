import Foundation
import HttpMessages

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportError.Code {
    /// Maps a URLSession failure; `response` is the head that had arrived, if any.
    init(_ error: any Error, after response: URLResponse?) {
        let code: URLError.Code
        switch error {
        case let error as URLError: code = error.code
        // Apple's URLSession reports some failures of a socket as they are.
        case let error as POSIXError where [.ECONNABORTED, .ECONNRESET, .ENOTCONN].contains(error.code):
            code = .networkConnectionLost
        case let error as POSIXError where error.code == .EPROTO:
            self = .protocolViolation
            return
        default:
            self = .internalFailure
            return
        }
        switch code {
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive: self = .noNetwork
        case .cannotFindHost, .dnsLookupFailed: self = .hostNotFound
        case .cannotConnectToHost: self = .cannotConnect
        case .timedOut: self = .stalled
        case .networkConnectionLost: self = response == nil ? .connectionLost : .truncatedResponse
        case .badURL, .appTransportSecurityRequiresSecureConnection: self = .invalidUrl
        case .zeroByteResource, .cannotParseResponse: self = .invalidResponse
        case .cannotDecodeContentData, .cannotDecodeRawData: self = .invalidContentEncoding
        case .secureConnectionFailed: self = .tlsFailed
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            self = .certificateRejected
        case .clientCertificateRejected, .clientCertificateRequired: self = .clientCertificateFailed
        // The session reads no file but that of the request's body.
        case .requestBodyStreamExhausted, .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile:
            self = .uploadFailed
        default: self = .init(platformCode: code, error.localizedDescription, after: response)
        }
    }

    #if canImport(FoundationNetworking)
    /// FoundationNetworking maps some of libcurl's errors to codes. For the others there is only libcurl's message.
    private init(platformCode code: URLError.Code, _ words: String, after response: URLResponse?) {
        switch code {
        // The codes for `CURLE_GOT_NOTHING` and for an HTTP/0.9 response.
        case .badServerResponse: self = .connectionLost
        case .unsupportedURL: self = .invalidResponse
        // What fails before a response, although a proxy's response to CONNECT may have arrived.
        case .unknown where words.contains("certificate"): self = .certificateRejected
        case .unknown where response != nil && !Self.isOfHandshake(words):
            self = words.contains("content unencoding") ? .invalidContentEncoding : .truncatedResponse
        // A handshake that ended without a message of TLS.
        case .unknown where ["SSL_ERROR_SYSCALL", "Connection reset", "unexpected eof"].contains(where: words.contains):
            self = .connectionLost
        case .unknown where words.contains("SSL") || words.contains("TLS"): self = .tlsFailed
        default: self = .internalFailure
        }
    }

    /// Whether a message of libcurl is about TLS, and not about bytes that are sent or received over it.
    private static func isOfHandshake(_ words: String) -> Bool {
        (words.contains("SSL") || words.contains("TLS"))
            && !["SSL_read", "SSL_write", "recv error", "send error"].contains(where: words.contains)
    }
    #else
    private init(platformCode code: URLError.Code, _ words: String, after response: URLResponse?) {
        switch code {
        case .unsupportedURL: self = .invalidUrl
        case .badServerResponse: self = .invalidResponse
        default: self = .internalFailure
        }
    }
    #endif
}
