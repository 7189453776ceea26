import Dispatch
import Foundation
import NodeCore
import Synchronization
import UrlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Gathers what a session tells of its tasks, and settles their contexts.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfers: Sendable {
        var running: [Int: SessionTransfer] = [:]
        var isClosed = false
    }

    private let transfers = Mutex(Transfers())
    private let configuration: SenderConfiguration
    private let redirects: RedirectRule

    init(configuration: SenderConfiguration) {
        self.configuration = configuration
        redirects = RedirectRule(configuration.redirects)
    }

    func start(_ task: URLSessionDataTask, for request: RawUrlRequest) -> Observer<UrlDataResponse> {
        let transfer = SessionTransfer(request)
        let isOpen = transfers.withLock { transfers in
            if !transfers.isClosed { transfers.running[task.taskIdentifier] = transfer }
            return !transfers.isClosed
        }
        guard isOpen else {
            return .emit(error: TransportError(.senderClosed, of: request, reason: "the sender was closed"))
        }
        transfer.context.onCancel { task.cancel() }
        if let limit = request.options.timeout ?? configuration.timeouts.request {
            DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak transfer] in
                let error = TransportError(
                    .requestTimedOut, of: request, reason: "the whole request took longer than it may")
                if transfer?.context.emit(error: error) == true { task.cancel() }
            }
        }
        task.resume()
        return transfer.context.observer
    }

    /// Fails what is under way; the session ends the tasks.
    func close() {
        let running = transfers.withLock { transfers in
            transfers.isClosed = true
            defer { transfers.running = [:] }
            return transfers.running
        }
        for transfer in running.values {
            transfer.context.emit(
                error: TransportError(.senderClosed, of: transfer.request, reason: "the sender was closed"))
        }
    }

    private func transfer(of task: URLSessionTask) -> SessionTransfer? {
        transfers.withLock { $0.running[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = transfer(of: dataTask) else { return }
        let limit = configuration.limits.responseSize
        let received = transfer.receive(data, limit: limit)
        guard let received else {
            transfer.context.emit(
                error: TransportError(
                    .responseTooLarge, of: transfer.request,
                    reason: "the body is larger than limits.responseSize, \(limit) bytes"))
            return dataTask.cancel()
        }
        let expected = dataTask.response?.expectedContentLength ?? -1
        transfer.tellProgress(received: Int64(received), of: expected)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfer(of: task)?.tellProgress(sent: totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let transfer = transfer(of: task), let url = request.url, redirects.follows(response.statusCode) else {
            return completionHandler(nil)
        }
        do {
            let next = try transfer.redirect(by: redirects, status: response.statusCode, to: url)
            completionHandler(try URLRequest(next, configuration: configuration))
        } catch {
            transfer.context.emit(error: error)
            completionHandler(nil)
            task.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.running.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            transfer.context.emit(error: transfer.transportError(error))
        } else if let response = task.response as? HTTPURLResponse {
            transfer.context.settle(transfer.outcome(response))
        } else {
            transfer.context.emit(
                error: TransportError(.invalidResponse, of: transfer.request, reason: "the answer is no HTTP answer"))
        }
    }
}
