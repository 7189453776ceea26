import NetChainKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Connections that die without a word, as behind a NAT that forgets them.
@Suite(.needs(.nginxTls, .authorities), .timeLimit(.minutes(2)))
struct SilentConnectionTests {
    private let relay: Relay
    private let url: URL

    init() throws {
        let server = try ServerVariable.nginxTls.url
        relay = try Relay(to: try #require(server.port))
        url = try #require(URL(string: "https://127.0.0.1:\(relay.port)/users"))
    }

    @Test(arguments: [1, 8])
    func afterATimeoutOnASilentConnectionTheNextRequestUsesANewOne(count: Int) async throws {
        defer { relay.stop() }
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = .automatic })
        let request = HttpRequest(method: .get, url: url)
        let first = try await sender.observed(request).value
        #expect(first.metrics.httpVersion == "HTTP/2")
        relay.silenceConnections()
        let impatient = HttpRequest(
            method: .get, url: url, options: RequestOptions(timeout: .seconds(2)))
        let lost = (0..<count).map { _ in sender.observed(impatient) }
        for observer in lost {
            let error = await thrown(TransportError.self) { try await observer.value }
            #expect(error?.code == .requestTimedOut)
        }
        #expect(relay.droppedBytes > 0)
        let start = ContinuousClock.now
        for _ in 0..<3 { #expect(try await sender.observed(request).value.status == 200) }
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(relay.count == 2)
    }

    @Test func aCanceledRequestOnASilentConnectionLeavesTheNextOnesANewOne() async throws {
        defer { relay.stop() }
        let sender = try CurlRequestSender(configuration: .tls())
        let request = HttpRequest(method: .post, url: url, body: .data(Data("x".utf8)))
        _ = try await sender.observed(request).value
        relay.silenceConnections()
        let lost = sender.observed(request)
        while relay.droppedBytes == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // The request was sent. A second of silence makes the connection suspect; a busy machine may be late to record that
        // it was sent.
        try await Task.sleep(for: .seconds(3))
        lost.cancel()
        // On the silent connection it would end with this time limit.
        let next = HttpRequest(
            method: .post, url: url, body: .data(Data("x".utf8)), options: RequestOptions(timeout: .seconds(30)))
        _ = try await sender.send(next)
        #expect(relay.count == 2)
    }

    /// Each leaves a connection of HTTP/2 that libcurl would use again.
    enum End: CaseIterable {
        case timeout
        case stall
        case cancellation
    }

    @Test(arguments: End.allCases)
    func aConnectionThatDiesInTheMiddleOfABodyGetsNoFurtherRequest(end: End) async throws {
        defer { relay.stop() }
        let sender = try CurlRequestSender(
            configuration: .tls {
                $0.httpVersion = .automatic
                $0.timeouts.stall = .seconds(end == .stall ? 1 : 60)
            })
        // The handshake takes nothing of the time limit.
        #expect(try await sender.send(HttpRequest(method: .get, url: url)).status == 200)
        let received = Atomic<Int64>(0)
        let options = RequestOptions(
            timeout: end == .timeout ? .seconds(3) : nil,
            onProgress: { received.store($0.received, ordering: .releasing) })
        let slow = try #require(URL(string: "https://127.0.0.1:\(relay.port)/throttled"))
        let answer = sender.observed(HttpRequest(method: .get, url: slow, options: options))
        while received.load(ordering: .acquiring) == 0, answer.outcome == nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        relay.silenceConnections()
        if end == .cancellation {
            while relay.droppedBytes == 0 { try await Task.sleep(for: .milliseconds(1)) }
            // The time that makes a connection suspect.
            try await Task.sleep(for: .milliseconds(1_200))
            answer.cancel()
        } else {
            let error = await thrown(TransportError.self) { try await answer.value }
            #expect(error?.code == (end == .stall ? .stalled : .requestTimedOut))
            #expect(error?.metrics?.httpVersion == "HTTP/2")
        }
        // On the dead connection it would end with this time limit.
        let next = HttpRequest(method: .get, url: url, options: RequestOptions(timeout: .seconds(30)))
        #expect(try await sender.send(next).status == 200)
        #expect(relay.count == 2)
    }
}
