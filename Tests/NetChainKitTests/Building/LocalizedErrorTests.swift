// All of Foundation: `localizedDescription` is its work.
import Foundation
import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

/// What Foundation shows of an error is what the error says of itself.
struct LocalizedErrorTests {
    private let request: HttpRequest

    init() throws {
        request = HttpRequest(method: .get, url: try #require(URL(string: "https://example.com/a?token=geheim")))
    }

    private func expectSame(_ error: (any Error)?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let error = try #require(error, sourceLocation: sourceLocation)
        #expect(error.localizedDescription == "\(error)", sourceLocation: sourceLocation)
        #expect((error as NSError).localizedDescription == "\(error)", sourceLocation: sourceLocation)
    }

    @Test func transportErrors() throws {
        let error = TransportError(.connectionRefused, of: request, reason: "nothing listens")
        try expectSame(error)
        try expectSame(TechnicalError(error))
        try expectSame(SenderConfigurationError(setting: "loops", reason: "must be from 1 to 256"))
        try expectSame(RequestBuildingError(.invalidUrl, "The route's URL names no host."))
        #expect(error.localizedDescription.hasPrefix("GET https://example.com/a?token="))
        #expect(!error.localizedDescription.contains("geheim"))
    }

    private struct Problem: Decodable, Sendable {}

    @Test func eachErrorHasAShortNameForMetrics() async throws {
        let refused = TransportError(.connectionRefused, of: request, reason: "nothing listens")
        let missing = HttpError(HttpResponse(request: request, status: 404, data: Data("{}".utf8)))
        let api = ApiClient("https://api.example.com") {
            $0.sender = ScriptedRequestSender { $0.respond(status: 422, body: Data("{}".utf8)) }
            $0.log.sink = .silent
            $0.mapErrors(as: Problem.self)
        }
        let problem = await thrown(ApiError<Problem>.self) { try await api.get("").send() }
        let node = Node<Void, Void>().inline().outcome?.error
        let errors: [(any NetChainFailure)?] = [
            refused, TechnicalError(refused), missing, problem, RequestBuildingError(.invalidUrl, ""),
            LoopbackError(.timedOut, ""), node as? ChainError,
        ]
        #expect(
            errors.map { $0?.errorType } == [
                "connectionRefused", "connectionRefused", "404", "422", "invalidUrl", "timedOut", "notImplemented",
            ])
    }

    @Test func errorsOfLimits() async throws {
        let sender = ScriptedRequestSender()
        let api = ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.log.sink = .silent
        }.concurrencyLimit(1, waiting: 0)
        let first = Task { try await api.get("a").send() }
        let exchange = try await sender.nextRequest()
        try expectSame(await thrown(LimitError.self) { try await api.get("b").send() })
        exchange.respond()
        _ = try await first.value
    }

    @Test func errorsOfAnswers() throws {
        try expectSame(HttpError(HttpResponse(request: request, status: 404)))
        let answer = HttpResponse(request: request, status: 200, data: Data("{".utf8))
        try expectSame(ResponseDataParserNode().inline(answer).outcome?.error)
        try expectSame(thrown(JsonError.self) { try Json(parsing: "{") })
    }

    @Test func errorsOfThePlumbing() throws {
        try expectSame(Node<Void, Void>().inline().outcome?.error)
        try expectSame(Context<Void>().observer.outcome?.error)
        try expectSame(LoopbackError(.timedOut, "No request came in 10 s."))
    }
}
