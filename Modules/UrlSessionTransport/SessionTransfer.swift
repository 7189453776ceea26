import Foundation
import NodeCore
import Synchronization
import UrlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request on its way through a session, over all hops.
final class SessionTransfer: Sendable {
    private struct State {
        var hop: HttpRequest
        var task: URLSessionTask?
        var body = Data()
        var hops = 0
        var sent: Int64 = 0
        /// nil before the first call, which nothing holds up: URLSession tells of bytes alone, and not of time.
        var lastProgress: ContinuousClock.Instant?
    }

    let request: HttpRequest
    let context = Context<HttpResponse>()
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(_ request: HttpRequest) {
        self.request = request
        state = Mutex(State(hop: request))
    }

    /// How many hops have begun: one more than redirects were followed.
    var hops: Int {
        state.withLock { $0.hops }
    }

    /// Takes on the task of the next hop; what the last one brought is forgotten.
    func begin(_ hop: HttpRequest, _ task: URLSessionTask) {
        state.withLock { state in
            state.hop = hop
            state.task = task
            state.body = Data()
            state.sent = 0
            state.hops += 1
        }
        if context.isSettled { task.cancel() }
    }

    /// Ends the task of the current hop.
    func stop() {
        state.withLock { $0.task }?.cancel()
    }

    func fail(_ code: TransportError.Code, _ reason: String) {
        if context.emit(error: error(code, reason)) { stop() }
    }

    /// An error of the current hop.
    func error(_ code: TransportError.Code, _ reason: String, cause: (any Error)? = nil) -> TransportError {
        TransportError(code, of: request, redirects: max(0, hops - 1), reason: reason, cause: cause)
    }

    /// What the session's error means.
    func error(_ error: any Error, after response: URLResponse?) -> TransportError {
        self.error(TransportError.Code(error, after: response), error.localizedDescription, cause: error)
    }

    /// Adds a piece of the body; whether that is within the limit.
    func receive(_ data: Data, limit: Int) -> Bool {
        if context.isSettled { return true }
        return state.withLock { state in
            guard data.count <= limit - state.body.count else { return false }
            state.body.append(data)
            return true
        }
    }

    /// Tells the caller how far the hop is, at most twenty times a second and once at its end.
    func tellProgress(sent: Int64? = nil, isLast: Bool = false) {
        guard let onProgress = request.options.onProgress, !context.isSettled else { return }
        let now = ContinuousClock.now
        let progress = state.withLock { state -> TransferProgress? in
            state.sent = sent ?? state.sent
            let isEarly = state.lastProgress.map { now - $0 < .milliseconds(50) } ?? false
            guard isLast || !isEarly else { return nil }
            state.lastProgress = now
            let body = state.hop.body
            return TransferProgress(
                sent: state.sent, totalToSend: body.isEmpty ? nil : body.length, received: Int64(state.body.count),
                totalToReceive: state.task?.response?.lengthAsReceived)
        }
        if let progress { onProgress(progress) }
    }

    /// What is sent next, when the answer is a redirect to follow.
    func redirect(by rule: RedirectRule, _ response: HTTPURLResponse) throws(TransportError) -> HttpRequest? {
        guard rule.follows(response.statusCode), let location = response.value(forHTTPHeaderField: "Location") else {
            return nil
        }
        let (hop, hops) = state.withLock { ($0.hop, $0.hops) }
        guard let url = URL(string: location, relativeTo: hop.url)?.absoluteURL else {
            throw error(.invalidResponse, "a redirect leads to what is no URL")
        }
        return try rule.next(after: hop, status: response.statusCode, to: url, count: hops - 1, original: request)
    }

    /// The whole answer.
    ///
    /// - Throws: when less came than was announced.
    func answer(_ response: HTTPURLResponse) throws(TransportError) -> HttpResponse {
        let state = self.state.withLock { $0 }
        // These have no body, whatever they announce (RFC 9110 §6.4.1).
        let hasBody = state.hop.method != .head && response.statusCode != 204 && response.statusCode != 304
        if hasBody, response.value(forHTTPHeaderField: "Content-Encoding") == nil,
            let length = response.value(forHTTPHeaderField: "Content-Length").flatMap({ Int($0) }),
            state.body.count < length
        {
            throw error(
                .truncatedResponse,
                "the connection ended before the whole answer had arrived: \(state.body.count) of \(length) bytes")
        }
        var metrics = TransferMetrics()
        metrics.total = .now - start
        metrics.bytesSent = state.hop.body.length ?? 0
        metrics.bytesReceived = Int64(state.body.count)
        metrics.redirects = state.hops - 1
        let fields = response.allHeaderFields.map { HttpHeaders.Field(name: "\($0.key)", value: "\($0.value)") }
        return HttpResponse(
            request: request, url: state.hop.url, statusCode: response.statusCode,
            headers: HttpHeaders(fields.sorted { $0.name < $1.name }), data: state.body, metrics: metrics)
    }
}

extension URLResponse {
    /// How many bytes of a body the session will give; nil where that is not known. Of a compressed body it tells the length
    /// as it travels, and gives the bytes as they were.
    fileprivate var lengthAsReceived: Int64? {
        let isPlain = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") == nil
        return isPlain && expectedContentLength > 0 ? expectedContentLength : nil
    }
}
