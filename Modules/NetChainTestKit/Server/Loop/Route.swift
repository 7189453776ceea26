import HttpMessages

/// A method and a path, and the response to their requests.
struct Route: Sendable {
    /// What makes the responses to the requests of a route.
    enum Responder: Sendable {
        case fixed(LoopbackResponse)
        /// One response after the other; the last one is repeated.
        case inOrder([LoopbackResponse], next: Int)
        case handler(@Sendable (LoopbackRequest) throws -> LoopbackResponse)
        case asyncHandler(@Sendable (LoopbackRequest) async throws -> LoopbackResponse)
        case exchangeHandler(@Sendable (LoopbackExchange) -> Void)

        /// Returns the responder to this request and advances to the next one's.
        mutating func take() -> Responder {
            guard case .inOrder(let responses, let next) = self else { return self }
            self = .inOrder(responses, next: min(next + 1, responses.count - 1))
            return .fixed(responses[next])
        }
    }

    let method: HttpMethod
    let pattern: RoutePattern
    var responder: Responder
}

/// An upload rule for a method and a path.
struct UploadRoute: Sendable {
    let method: HttpMethod
    let pattern: RoutePattern
    let rule: LoopbackUploadRule
}
