import HttpMessages
import NodeCore
import ResponseProcessing
import Testing

@testable import EventStreams

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct EventReconnectionTests {
    private static func error(_ code: TransportError.Code) throws -> any Error {
        let request = HttpRequest(method: .get, url: try #require(URL(string: "http://localhost/feed")))
        return TechnicalError.mapping(TransportError(code, of: request, reason: "of the test"))
    }

    /// The delay in milliseconds, or how the stream ends.
    private func text(_ step: EventReconnection.Step) -> String {
        switch step {
        case .end: "end"
        case .fail(let error): "fail \((error as? any NetChainFailure)?.errorType ?? "\(error)")"
        case .reconnect(let delay): "\(delay / .milliseconds(1))"
        }
    }

    @Test func theDelayGrowsWhileConnectionsBringNoEvent() throws {
        var reconnection = EventReconnection(isRepeated: true)
        reconnection.opened()
        reconnection.received()
        let steps = try (0..<7).map { number in
            text(
                reconnection.ended(
                    number == 0 ? nil : try Self.error(.connectionRefused), after: .zero, delay: nil, chance: 0))
        }
        #expect(steps == ["1000.0", "1000.0", "2000.0", "4000.0", "8000.0", "16000.0", "30000.0"])
        reconnection.opened()
        reconnection.received()
        // Half of it by chance.
        #expect(text(reconnection.ended(nil, after: .zero, delay: nil, chance: 1)) == "500.0")
    }

    @Test func theServersDelayHolds() throws {
        var reconnection = EventReconnection(isRepeated: true)
        reconnection.opened()
        for _ in 0..<5 {
            reconnection.received()
            #expect(text(reconnection.ended(nil, after: .zero, delay: .milliseconds(20), chance: 0)) == "20.0")
        }
        // A server that brings nothing isn't asked more often than without a delay of its own.
        #expect(text(reconnection.ended(nil, after: .zero, delay: .milliseconds(20), chance: 0)) == "1000.0")
        #expect(text(reconnection.ended(nil, after: .zero, delay: .seconds(60), chance: 0)) == "60000.0")
    }

    /// A proxy may close a feed without news each minute, and events must not be late because of that.
    @Test func aConnectionThatLastedIsAsGoodAsOneWithAnEvent() throws {
        var reconnection = EventReconnection(isRepeated: true)
        for _ in 0..<6 {
            reconnection.opened()
            #expect(text(reconnection.ended(nil, after: .seconds(10), delay: .milliseconds(20), chance: 0)) == "20.0")
        }
        // The time of a connection that wasn't opened doesn't count.
        let error = try Self.error(.connectionRefused)
        #expect(text(reconnection.ended(error, after: .seconds(30), delay: .milliseconds(20), chance: 0)) == "1000.0")
    }

    @Test(
        arguments: [
            (nil, "1000.0"), (.connectionLost, "1000.0"), (.truncatedResponse, "1000.0"), (.stalled, "1000.0"),
            (.proxyFailed, "1000.0"), (.protocolViolation, "1000.0"),
            (.noNetwork, "1000.0"), (.connectTimedOut, "1000.0"), (.requestTimedOut, "1000.0"),
            (.deadlinePassed, "fail deadlinePassed"), (.certificateRejected, "fail certificateRejected"),
            (.senderClosed, "fail senderClosed"), (.tooManyRedirects, "fail tooManyRedirects"),
        ] as [(TransportError.Code?, String)])
    func onlyTheNetworksErrorsAreFollowedByAnotherConnection(code: TransportError.Code?, expected: String) throws {
        var reconnection = EventReconnection(isRepeated: true)
        reconnection.opened()
        #expect(
            text(reconnection.ended(try code.map { try Self.error($0) }, after: .zero, delay: nil, chance: 0))
                == expected)
    }

    @Test func theFirstConnectionFailsWithItsError() throws {
        var reconnection = EventReconnection(isRepeated: true)
        #expect(
            text(reconnection.ended(try Self.error(.connectionRefused), after: .zero, delay: nil, chance: 0))
                == "fail connectionRefused")
    }

    @Test func withoutRepetitionTheStreamEndsWithItsConnection() throws {
        var reconnection = EventReconnection(isRepeated: false)
        reconnection.opened()
        #expect(text(reconnection.ended(nil, after: .zero, delay: .zero, chance: 0)) == "end")
        #expect(
            text(reconnection.ended(try Self.error(.connectionLost), after: .zero, delay: .zero, chance: 0))
                == "fail connectionLost")
    }

    @Test func aStatusOrACancelIsNeverRepeated() throws {
        var reconnection = EventReconnection(isRepeated: true)
        reconnection.opened()
        let url = try #require(URL(string: "http://localhost/feed"))
        let response = HttpResponse(request: HttpRequest(method: .get, url: url), status: 503)
        #expect(text(reconnection.ended(HttpError(response), after: .zero, delay: .zero, chance: 0)) == "fail 503")
        #expect(
            text(reconnection.ended(CancellationError(), after: .zero, delay: .zero, chance: 0))
                == "fail CancellationError()")
    }
}
