public import HttpMessages
public import Models
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sender for tests without a network. The test holds each request and decides its response.
///
/// ```swift
/// let sender = ScriptedRequestSender()
/// let api = ApiClient("https://api.example.com") { $0.sender = sender }
/// async let user = api.get("users/1").send(as: User.self)
/// let exchange = try await sender.nextRequest()
/// #expect(exchange.request.url.path == "/users/1")
/// exchange.respond(json: ["id": 1, "name": "Ada"])
/// #expect(try await user.name == "Ada")
/// ```
///
/// If the timing doesn't matter to a test, the sender can respond by itself: ``init(answering:)``.
public final class ScriptedRequestSender: RequestSender, TraitDeclaring {
    package let traits = SenderTraits()
    /// A request that was sent and waits for its response. If it is taken and released without a response, it fails
    /// with a ``LoopbackError``.
    public struct Exchange: Sendable {
        /// The request as the chain sent it.
        public let request: HttpRequest
        fileprivate let reply: Reply
        private var context: Context<HttpResponse> { reply.context }

        fileprivate init(_ request: HttpRequest, _ context: Context<HttpResponse>, _ place: String) {
            self.request = request
            reply = Reply(context, "\(place) did not answer \(request)")
        }

        /// Responds with a status, headers and a body. If the status is a success, the body goes to the request's
        /// destination. Returns false if the request has completed already, for example by cancellation.
        @discardableResult
        public func respond(status: Int = 200, headers: HttpHeaders = HttpHeaders(), body: Data = Data()) -> Bool {
            // The sender writes the body to its destination once the request has completed with it.
            context.emit(data: HttpResponse(request: request, status: status, headers: headers, data: body))
        }

        /// Responds with JSON. Returns false if the request has completed already.
        @discardableResult
        public func respond(status: Int = 200, json: String, headers: HttpHeaders = HttpHeaders()) -> Bool {
            respond(.json(json, status: status, headers: headers))
        }

        /// Responds with a value as JSON, encoded now. Returns false if the request has completed already.
        @discardableResult
        @_disfavoredOverload
        public func respond(status: Int = 200, json: some Encodable, headers: HttpHeaders = HttpHeaders()) -> Bool {
            respond(.json(json, status: status, headers: headers))
        }

        /// Responds with a literal of mixed values as JSON. Returns false if the request has completed already.
        @discardableResult
        @_disfavoredOverload
        public func respond(status: Int = 200, json: BodyMembers, headers: HttpHeaders = HttpHeaders()) -> Bool {
            respond(.json(json, status: status, headers: headers))
        }

        /// Responds with a literal of literals as JSON. Returns false if the request has completed already.
        @discardableResult
        @_disfavoredOverload
        public func respond(status: Int = 200, json: Json, headers: HttpHeaders = HttpHeaders()) -> Bool {
            respond(.json(json, status: status, headers: headers))
        }

        /// Responds as a ``LoopbackServer`` does: `.json(…)`, `.text(…)`, `.status(…)`. Returns false if the request has
        /// completed already.
        ///
        /// There is no connection here: a response that breaks off, is late or has no end fails the request with a
        /// ``LoopbackError``, which says so.
        @discardableResult
        public func respond(_ response: LoopbackResponse) -> Bool {
            guard let body = response.wholeBody else {
                let reason = "a scripted sender has no connection for this fault: use a LoopbackServer"
                return fail(LoopbackError(.unanswered, reason))
            }
            return respond(status: response.status, headers: response.headers, body: Data(body))
        }

        /// Unavailable: names the response.
        @available(*, unavailable, message: "write respond(.text(…))")
        public func respond(status: Int = 200, text: String, headers: HttpHeaders = HttpHeaders()) {}

        /// Unavailable: names the argument.
        @available(*, unavailable, message: "write respond(body: data)")
        public func respond(status: Int = 200, data: Data, headers: HttpHeaders = HttpHeaders()) {}

        /// Fails the request. Returns false if it has completed already.
        @discardableResult
        public func fail(_ error: any Error) -> Bool {
            context.emit(error: error)
        }

        /// Fails the request with a transport error of this kind. Returns false if it has completed already.
        @discardableResult
        public func fail(_ code: TransportError.Code, reason: String = "scripted") -> Bool {
            fail(TransportError(code, of: request, reason: reason))
        }

        /// Unavailable: names the codes.
        @available(
            *, unavailable, message: "write fail(.noNetwork), fail(.requestTimedOut) or fail(.connectionRefused)"
        )
        public func fail(_ error: (TransportError) -> TechnicalError) {}

        /// Whether the chain canceled the request.
        public var isCanceled: Bool {
            context.observer.outcome?.isCanceled ?? false
        }

        /// Waits until the request has completed, failed or been canceled. Canceling the task ends the wait and leaves
        /// the request unchanged.
        public func ended() async {
            let end = Context<Void>()
            context.observer.onSettled { _ in end.emit() }
            try? await end.observer.value
        }
    }

    /// Fails a request that the test left without a response, when the last reference is released.
    fileprivate final class Reply: Sendable {
        let context: Context<HttpResponse>
        private let complaint: String

        init(_ context: Context<HttpResponse>, _ complaint: String) {
            self.context = context
            self.complaint = complaint
        }

        deinit {
            context.emit(error: LoopbackError(.unanswered, complaint))
        }
    }

    private struct State: Sendable {
        var requests: [HttpRequest] = []
        var arrived: [Exchange] = []
        var waiting: [Context<Exchange>] = []
    }

    private let state = Mutex(State())
    private let answer: (@Sendable (Exchange) throws -> Void)?

    /// Creates a sender whose requests wait for ``nextRequest(within:)``.
    public init() {
        answer = nil
    }

    /// Creates a sender that responds by itself. `answer` is called on the sending thread. It should call one of the
    /// exchange's methods, at once or later. A request fails with the error that it throws.
    public init(answering answer: @escaping @Sendable (Exchange) throws -> Void) {
        self.answer = answer
    }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "requests.last")
    public var lastRequest: HttpRequest? { requests.last }

    /// All requests so far, in the order in which they were sent.
    public var requests: [HttpRequest] {
        state.withLock { $0.requests }
    }

    /// Waits for the next request that no test has taken, at most `limit`.
    ///
    /// - Throws: ``LoopbackError`` with `timedOut` if no request was sent in time, `CancellationError` if the task is
    ///   canceled.
    public func nextRequest(within limit: Duration = .seconds(30)) async throws -> Exchange {
        let waiter = Context<Exchange>()
        let arrived = state.taking { state -> Exchange? in
            if state.arrived.isEmpty {
                state.waiting.append(waiter)
                return nil
            }
            return state.arrived.removeFirst()
        }
        if let arrived { return arrived }
        let timer = Task {
            try await Task.sleep(for: min(limit, .seconds(1 << 32)))
            waiter.emit(error: LoopbackError(.timedOut, "timed out waiting for a request: \(summary)"))
        }
        defer { timer.cancel() }
        return try await waiter.observer.value
    }

    /// What happened instead of the next request, for the error message.
    private var summary: String {
        let count = requests.count
        if answer != nil { return "this sender has answered \(count) by itself, and leaves none to the test" }
        return count == 0 ? "none was sent" : "\(count) sent before, each taken already"
    }

    /// Holds the request for the test, or passes it to the closure of ``init(answering:)``.
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
        try Task.checkCancellation()
        let context = Context<HttpResponse>()
        // Around the delivery, so that a cancellation after it shows at once in `isCanceled`.
        return try await withTaskCancellationHandler {
            deliver(Exchange(request, context, answer == nil ? "the test" : "the test's closure"))
            return try await context.observer.value.delivered()
        } onCancel: {
            context.observer.cancel()
        }
    }

    private func deliver(_ exchange: Exchange) {
        let request = exchange.request
        if let answer {
            state.withLock { $0.requests.append(request) }
            do { try answer(exchange) } catch { exchange.fail(error) }
            return
        }
        // A waiter that was canceled meanwhile leaves the request to the next one.
        var isTaken = false
        var isFirst = true
        while !isTaken {
            let waiter = state.taking { [isFirst] state -> Context<Exchange>? in
                if isFirst { state.requests.append(request) }
                if state.waiting.isEmpty {
                    state.arrived.append(exchange)
                    return nil
                }
                return state.waiting.removeFirst()
            }
            isFirst = false
            isTaken = waiter.map { $0.emit(data: exchange) } ?? true
        }
    }
}
