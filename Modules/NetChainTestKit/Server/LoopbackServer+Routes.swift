import HttpMessages

/// The server's routes. The route registered last takes precedence, so that a test can override a fixture's. A request
/// without a route gets a 404 that lists the routes.
///
/// A path is matched part by part: `/users/:id` matches any one part in place of `:id`, `/files/*` any rest, `*` every
/// target. Parts are decoded before the comparison; the query is ignored.
extension LoopbackServer {
    /// Responds with the handler's result, which may be ``LoopbackResponse/held``. An error of the handler becomes the text
    /// of a 500 and is written to standard error. The handler runs on a background thread, concurrently with others, and
    /// may block.
    public func on(
        _ method: HttpMethod, _ path: String,
        handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) {
        add(method, path, .handler(handler))
    }

    /// Responds with the asynchronous handler's result, which may be ``LoopbackResponse/held``. An error of the handler
    /// becomes the text of a 500 and is written to standard error.
    public func on(
        _ method: HttpMethod, _ path: String,
        handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        add(method, path, .asyncHandler(handler))
    }

    /// Always sends the same response. The fastest kind of route, because it doesn't leave the server's thread.
    public func on(_ method: HttpMethod, _ path: String, respond response: LoopbackResponse) {
        add(method, path, .fixed(response))
    }

    /// Sends one response after the other, in the order of the requests, and then repeats the last one. An empty list
    /// gives a 404.
    public func on(_ method: HttpMethod, _ path: String, inOrder responses: [LoopbackResponse]) {
        guard !responses.isEmpty else {
            add(method, path, .fixed(.text("No response is left for \(path)\n", status: 404)))
            return
        }
        add(method, path, .inOrder(responses, next: 0))
    }

    /// Passes the exchange to the handler, which responds through it at once or later. The handler runs on a background
    /// thread.
    public func onExchange(
        _ method: HttpMethod, _ path: String, handler: @escaping @Sendable (LoopbackExchange) -> Void
    ) {
        add(method, path, .exchangeHandler(handler))
    }

    /// Passes the exchange to the asynchronous handler, which responds through it. An exchange that it leaves without a
    /// response gets a 500, and so does one whose handler throws. The text of both says so, and standard error too.
    public func onExchange(
        _ method: HttpMethod, _ path: String, handler: @escaping @Sendable (LoopbackExchange) async throws -> Void
    ) {
        onExchange(method, path) { exchange in
            Task {
                let failure: String
                do {
                    try await handler(exchange)
                    failure = "did not respond"
                } catch {
                    failure = "threw: \(error)"
                }
                let text = HandlerFailure.text(of: exchange.request, failure)
                if exchange.respond(.text(text, status: 500)) { HandlerFailure.report(text) }
            }
        }
    }

    /// Holds every request for the path until the test takes it with ``nextRequest(_:method:within:)``.
    public func hold(_ path: String, method: HttpMethod = .any) {
        add(method, path, .fixed(.held))
    }

    /// Applies the rule while the bodies of matching requests arrive. The rule registered last takes precedence.
    public func whileReceiving(_ method: HttpMethod, _ path: String, _ rule: LoopbackUploadRule) {
        let route = UploadRoute(method: method, pattern: RoutePattern(path), rule: rule)
        core.withState { $0.uploadRoutes.append(route) }
    }

    /// Applies the rules to the next connections, one each, in the order in which they are accepted; later ones are
    /// served as usual.
    public func onConnect(_ rules: LoopbackConnectRule...) {
        core.withState { $0.connectRules += rules }
    }

    private func add(_ method: HttpMethod, _ path: String, _ responder: Route.Responder) {
        let route = Route(method: method, pattern: RoutePattern(path), responder: responder)
        // The old route is released here, after unlocking, because its closure may hold anything.
        _ = core.withState { state in
            state.isStopped ? nil : state.add(route)
        }
    }
}

extension LoopbackServer {
    /// Unavailable: names the function.
    @available(*, unavailable, message: "write server.on(.get, path) { request in … }")
    public func get(_ path: String, _ handler: @Sendable (LoopbackRequest) async throws -> LoopbackResponse) {}

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write server.on(.post, path) { request in … }")
    public func post(_ path: String, _ handler: @Sendable (LoopbackRequest) async throws -> LoopbackResponse) {}
}

extension LoopbackResponse {
    /// Unavailable: names the function.
    @available(*, unavailable, message: "write server.on(.get, path, inOrder: [first, second])")
    public static func sequence(_ responses: [LoopbackResponse]) -> LoopbackResponse { responses[0] }

    /// Unavailable: names the response.
    @available(*, unavailable, renamed: "close")
    public static var closeConnection: LoopbackResponse { .close }
}
