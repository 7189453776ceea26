import NetChainKit
import NetChainTestKit
import Testing

@testable import TestedService

private let euro = #"{"base": "EUR", "rates": {"USD": 1.25, "SEK": 11.5}}"#

private func service(_ sender: any RequestSender) -> RatesService {
    RatesService(
        api: ApiClient("https://rates.example.com/v1") {
            $0.sender = sender
            $0.log.sink = .silent
        })
}

/// Without a network: the test holds the request and decides its response.
struct RatesServiceTests {
    @Test func anAmountIsConvertedWithTheRateOfItsCurrency() async throws {
        let sender = ScriptedRequestSender()
        let service = service(sender)

        async let dollars = service.convert(100, from: "EUR", to: "USD")
        let exchange = try await sender.nextRequest()
        #expect(exchange.request.method == .get)
        #expect(exchange.request.url.absoluteString == "https://rates.example.com/v1/rates?base=EUR")
        exchange.respond(json: euro)

        #expect(try await dollars == 125)
    }

    @Test func aCurrencyThatTheApiDoesNotKnowIsNamed() async throws {
        let service = service(ScriptedRequestSender { $0.respond(status: 404, json: "{}") })

        await #expect(throws: RatesError.unknownCurrency("XXX")) {
            _ = try await service.convert(1, from: "XXX", to: "USD")
        }
    }

    @Test func aCurrencyWithoutARateIsNamed() async throws {
        let service = service(ScriptedRequestSender { $0.respond(json: euro) })

        await #expect(throws: RatesError.unknownCurrency("GBP")) {
            _ = try await service.convert(1, from: "EUR", to: "GBP")
        }
    }

    @Test(arguments: [TransportError.Code.connectionRefused, .requestTimedOut, .hostNotFound])
    func theLastRatesServeWhileTheApiIsOutOfReach(code: TransportError.Code) async throws {
        let sender = ScriptedRequestSender()
        let service = service(sender)

        async let first = service.convert(2, from: "EUR", to: "USD")
        try await sender.nextRequest().respond(json: euro)
        #expect(try await first == 2.5)

        async let second = service.convert(4, from: "EUR", to: "USD")
        try await sender.nextRequest().fail(code)
        #expect(try await second == 5)
    }

    @Test func withoutAnyRatesTheServiceIsUnavailable() async throws {
        let service = service(ScriptedRequestSender { $0.respond(status: 503, json: "{}") })

        await #expect(throws: RatesError.unavailable) { _ = try await service.convert(1, from: "EUR", to: "USD") }
    }

    @Test func leavingTheScreenCancelsTheRequest() async throws {
        let sender = ScriptedRequestSender()
        let service = service(sender)

        let task = Task { try await service.convert(1, from: "EUR", to: "USD") }
        let exchange = try await sender.nextRequest()
        task.cancel()
        await exchange.ended()

        #expect(exchange.isCanceled)
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}

/// With a server on 127.0.0.1: the real sender and its sockets, and a server with faults.
struct RatesServiceOnTheWireTests {
    @Test func aConnectionThatBreaksInsideAResponseIsNoRate() async throws {
        let server = try LoopbackServer()
        server.on(
            .get, "/rates",
            inOrder: [.json(euro), .json(euro).closing(afterBytes: 80), .close])
        let service = RatesService(api: ApiClient(server.url).log(to: .silent))

        #expect(try await service.convert(1, from: "EUR", to: "SEK") == 11.5)
        let error = await #expect(throws: TransportError.self) {
            _ = try await service.convert(1, from: "EUR", to: "SEK")
        }
        #expect(error?.code == .truncatedResponse)
        #expect(server.requests("/rates").map(\.query) == ["base=EUR", "base=EUR"])
    }
}
