import Foundation
import NodeCore
import Synchronization
import UrlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request on its way through a session.
final class SessionTransfer: Sendable {
    private struct Progress: Sendable {
        var body = Data()
        var hop: RawUrlRequest
        var redirects = 0
        var sent: Int64 = 0
    }

    let request: RawUrlRequest
    let context = Context<UrlDataResponse>()
    private let start = ContinuousClock.now
    private let progress: Mutex<Progress>

    init(_ request: RawUrlRequest) {
        self.request = request
        progress = Mutex(Progress(hop: request))
    }

    /// Adds a piece of the body; the size so far, or nil when it's more than the limit.
    func receive(_ data: Data, limit: Int) -> Int? {
        progress.withLock { progress in
            guard data.count <= limit - progress.body.count else { return nil }
            progress.body.append(data)
            return progress.body.count
        }
    }

    /// What a redirect makes of the request; what came of the body is forgotten.
    func redirect(by rule: RedirectRule, status: Int, to url: URL) throws -> RawUrlRequest {
        let (hop, count) = progress.withLock { ($0.hop, $0.redirects) }
        let next = try rule.next(after: hop, status: status, to: url, count: count, original: request)
        progress.withLock { progress in
            progress.hop = next
            progress.redirects += 1
            progress.body = Data()
        }
        return next
    }

    func tellProgress(sent: Int64? = nil, received: Int64 = 0, of total: Int64 = -1) {
        guard let onProgress = request.options.onProgress else { return }
        let sent = progress.withLock { progress in
            progress.sent = sent ?? progress.sent
            return progress.sent
        }
        onProgress(
            TransferProgress(
                sent: sent, totalToSend: request.body.isEmpty ? nil : request.body.length, received: received,
                totalToReceive: total > 0 ? total : nil))
    }

    /// The whole answer, or the error when less came than was announced.
    func outcome(_ response: HTTPURLResponse) -> Outcome<UrlDataResponse> {
        let progress = self.progress.withLock { $0 }
        let isPlain = response.value(forHTTPHeaderField: "Content-Encoding") == nil
        if isPlain, request.method != .head, let announced = response.value(forHTTPHeaderField: "Content-Length"),
            let length = Int(announced), progress.body.count < length
        {
            return .failed(
                TransportError(
                    .truncatedResponse, of: request,
                    reason: "the connection ended before the whole answer had arrived: "
                        + "\(progress.body.count) of \(length) bytes"))
        }
        var metrics = TransferMetrics()
        metrics.total = .now - start
        metrics.bytesSent = request.body.length
        metrics.bytesReceived = Int64(progress.body.count)
        metrics.redirects = progress.redirects
        let fields = response.allHeaderFields.map { name, value in
            HttpHeaders.Field(name: "\(name)", value: "\(value)")
        }
        return .completed(
            UrlDataResponse(
                request: request, url: response.url, statusCode: response.statusCode,
                headers: HttpHeaders(fields.sorted { $0.name < $1.name }), data: progress.body, metrics: metrics))
    }

    func transportError(_ error: any Error) -> TransportError {
        let code = (error as? URLError)?.code
        return TransportError(
            code.map { TransportError.Code($0) } ?? .internalFailure, of: request, reason: error.localizedDescription,
            cause: error)
    }
}

extension TransportError.Code {
    /// The kind of a URLSession failure.
    init(_ code: URLError.Code) {
        switch code {
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive: self = .noNetwork
        case .cannotFindHost, .dnsLookupFailed: self = .hostNotFound
        case .cannotConnectToHost: self = .cannotConnect
        case .timedOut: self = .stalled
        case .networkConnectionLost: self = .connectionLost
        case .badURL, .unsupportedURL: self = .invalidUrl
        case .badServerResponse, .zeroByteResource, .cannotParseResponse: self = .invalidResponse
        case .cannotDecodeContentData, .cannotDecodeRawData: self = .invalidContentEncoding
        case .httpTooManyRedirects, .redirectToNonExistentLocation: self = .tooManyRedirects
        case .secureConnectionFailed: self = .tlsFailed
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            self = .certificateRejected
        case .clientCertificateRejected, .clientCertificateRequired: self = .clientCertificateFailed
        case .dataLengthExceedsMaximum: self = .responseTooLarge
        case .requestBodyStreamExhausted: self = .uploadFailed
        default: self = .internalFailure
        }
    }
}
