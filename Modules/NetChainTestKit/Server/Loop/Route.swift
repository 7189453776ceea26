/// What answers the requests of a method and a path.
struct Route: Sendable {
    enum Answer: Sendable {
        case fixed(LoopbackResponse)
        /// One response after the other; the last one again and again.
        case inOrder([LoopbackResponse], next: Int)
        case handler(@Sendable (LoopbackRequest) throws -> LoopbackResponse)
        case asyncHandler(@Sendable (LoopbackRequest) async throws -> LoopbackResponse)
        case exchangeHandler(@Sendable (LoopbackExchange) -> Void)

        /// This request's answer, after which the next one's turn comes.
        mutating func take() -> Answer {
            guard case .inOrder(let responses, let next) = self else { return self }
            self = .inOrder(responses, next: min(next + 1, responses.count - 1))
            return .fixed(responses[next])
        }
    }

    let method: LoopbackMethod
    let pattern: RoutePattern
    var answer: Answer
}

/// A rule for bodies that come in.
struct UploadRoute: Sendable {
    let method: LoopbackMethod
    let pattern: RoutePattern
    let rule: LoopbackUploadRule
}
