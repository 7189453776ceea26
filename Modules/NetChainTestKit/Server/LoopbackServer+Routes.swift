/// What the server answers. The route registered last wins, so that a test may override what a fixture set up; what
/// no route takes is answered with 404.
///
/// A path is matched part by part: `/users/:id` takes any one part in the place of `:id`, `/files/*` any rest, `*`
/// every target. The parts are compared decoded, the query plays no role.
extension LoopbackServer {
    /// Answers with what the handler returns; it may return ``LoopbackResponse/held``, and what it throws becomes a
    /// 500. It runs on a background thread, concurrently with others, and may block.
    public func on(
        _ method: LoopbackMethod, _ path: String,
        handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) {
        add(method, path, .handler(handler))
    }

    /// Answers with what the asynchronous handler returns; it may return ``LoopbackResponse/held``, and what it
    /// throws becomes a 500.
    public func on(
        _ method: LoopbackMethod, _ path: String,
        handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        add(method, path, .asyncHandler(handler))
    }

    /// Always answers with the same response. The fastest kind of route: it does not leave the server's thread.
    public func on(_ method: LoopbackMethod, _ path: String, respond response: LoopbackResponse) {
        add(method, path, .fixed(response))
    }

    /// Answers with one response after the other, in the order in which the requests come, and from then on with the
    /// last; with none at all it answers 404.
    public func on(_ method: LoopbackMethod, _ path: String, inOrder responses: [LoopbackResponse]) {
        guard !responses.isEmpty else {
            add(method, path, .fixed(.text("No response is left for \(path)\n", status: 404)))
            return
        }
        add(method, path, .inOrder(responses, next: 0))
    }

    /// Hands the exchange to the handler, which answers through it, there and then or later. It runs on a background
    /// thread.
    public func onExchange(
        _ method: LoopbackMethod, _ path: String, handler: @escaping @Sendable (LoopbackExchange) -> Void
    ) {
        add(method, path, .exchangeHandler(handler))
    }

    /// Hands the exchange to the asynchronous handler, which responds through it. An exchange that it leaves without a
    /// response gets a 500.
    public func onExchange(
        _ method: LoopbackMethod, _ path: String, handler: @escaping @Sendable (LoopbackExchange) async throws -> Void
    ) {
        onExchange(method, path) { exchange in
            Task {
                do {
                    try await handler(exchange)
                    _ = exchange.respond(.text("The test's handler did not respond.\n", status: 500))
                } catch {
                    _ = exchange.respond(.text("The test's handler threw: \(error)\n", status: 500))
                }
            }
        }
    }

    /// Holds every request for the path until the test takes it with ``nextRequest(_:method:within:)``.
    public func hold(_ path: String, method: LoopbackMethod = .any) {
        add(method, path, .fixed(.held))
    }

    /// Applies the rule while the bodies of such requests come in, the rule registered last first.
    public func whileReceiving(_ method: LoopbackMethod, _ path: String, _ rule: LoopbackUploadRule) {
        let route = UploadRoute(method: method, pattern: RoutePattern(path), rule: rule)
        core.withState { $0.uploadRoutes.append(route) }
    }

    /// Applies the rules to the next connections, one each, in the order in which they are accepted; later ones are
    /// served as usual.
    public func onConnect(_ rules: LoopbackConnectRule...) {
        core.withState { $0.connectRules += rules }
    }

    private func add(_ method: LoopbackMethod, _ path: String, _ answer: Route.Answer) {
        let route = Route(method: method, pattern: RoutePattern(path), answer: answer)
        // The old route ends here, outside of the lock, since its closure may hold anything.
        _ = core.withState { state in
            state.isStopped ? nil : state.add(route)
        }
    }
}
