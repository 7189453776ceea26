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
        var hop: RawUrlRequest
        var task: URLSessionTask?
        var body = Data()
        var hops = 0
        var sent: Int64 = 0
    }

    let request: RawUrlRequest
    let context = Context<UrlDataResponse>()
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(_ request: RawUrlRequest) {
        self.request = request
        state = Mutex(State(hop: request))
    }

    /// Takes on the task of the next hop; what the last one brought is forgotten.
    func begin(_ hop: RawUrlRequest, _ task: URLSessionTask) {
        state.withLock { state in
            state.hop = hop
            state.task = task
            state.body = Data()
            state.hops += 1
        }
        if context.isSettled { task.cancel() }
    }

    /// Ends the task of the current hop.
    func stop() {
        state.withLock { $0.task }?.cancel()
    }

    func fail(_ code: TransportError.Code, _ reason: String) {
        if context.emit(error: TransportError(code, of: request, reason: reason)) { stop() }
    }

    /// Adds a piece of the body; the size so far, or nil when it's more than the limit.
    func receive(_ data: Data, limit: Int) -> Int64? {
        if context.isSettled { return 0 }
        return state.withLock { state in
            guard data.count <= limit - state.body.count else { return nil }
            state.body.append(data)
            return Int64(state.body.count)
        }
    }

    func tellProgress(sent: Int64? = nil, received: Int64 = 0, of response: URLResponse? = nil) {
        guard let onProgress = request.options.onProgress, !context.isSettled else { return }
        let sent = state.withLock { state in
            state.sent = sent ?? state.sent
            return state.sent
        }
        // Of a compressed body the session tells the length as it travels, and gives the bytes as they were.
        let isPlain = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") == nil
        let expected = isPlain ? response?.expectedContentLength ?? -1 : -1
        onProgress(
            TransferProgress(
                sent: sent, totalToSend: request.body.isEmpty ? nil : request.body.length, received: received,
                totalToReceive: expected > 0 ? expected : nil))
    }

    /// What is sent next, when the answer is a redirect to follow.
    func redirect(by rule: RedirectRule, _ response: HTTPURLResponse) throws(TransportError) -> RawUrlRequest? {
        guard rule.follows(response.statusCode), let location = response.value(forHTTPHeaderField: "Location") else {
            return nil
        }
        let (hop, hops) = state.withLock { ($0.hop, $0.hops) }
        guard let url = URL(string: location, relativeTo: hop.url)?.absoluteURL else {
            throw TransportError(.invalidResponse, of: request, reason: "a redirect leads to what is no URL")
        }
        return try rule.next(after: hop, status: response.statusCode, to: url, count: hops - 1, original: request)
    }

    /// The whole answer.
    ///
    /// - Throws: when less came than was announced.
    func answer(_ response: HTTPURLResponse) throws(TransportError) -> UrlDataResponse {
        let state = self.state.withLock { $0 }
        // These have no body, whatever they announce (RFC 9110 §6.4.1).
        let hasBody = state.hop.method != .head && response.statusCode != 204 && response.statusCode != 304
        if hasBody, response.value(forHTTPHeaderField: "Content-Encoding") == nil,
            let length = response.value(forHTTPHeaderField: "Content-Length").flatMap({ Int($0) }),
            state.body.count < length
        {
            throw TransportError(
                .truncatedResponse, of: request,
                reason: "the connection ended before the whole answer had arrived: "
                    + "\(state.body.count) of \(length) bytes")
        }
        var metrics = TransferMetrics()
        metrics.total = .now - start
        metrics.bytesSent = state.hop.body.length ?? 0
        metrics.bytesReceived = Int64(state.body.count)
        metrics.redirects = state.hops - 1
        let fields = response.allHeaderFields.map { HttpHeaders.Field(name: "\($0.key)", value: "\($0.value)") }
        return UrlDataResponse(
            request: request, url: state.hop.url, statusCode: response.statusCode,
            headers: HttpHeaders(fields.sorted { $0.name < $1.name }), data: state.body, metrics: metrics)
    }

    func complete(_ answer: UrlDataResponse) {
        tellProgress(
            sent: answer.metrics.bytesSent, received: answer.metrics.bytesReceived,
            of: state.withLock { $0.task?.response })
        context.emit(data: answer)
    }

    func fail(_ error: any Error, after response: URLResponse?) {
        let code = TransportError.Code(error, after: response)
        let redirects = state.withLock { max(0, $0.hops - 1) }
        context.emit(
            error: TransportError(
                code, of: request, redirects: redirects, reason: error.localizedDescription, cause: error))
    }
}
