#if os(Linux)
import Testing

@testable import UrlTransport

/// How many requests look for a connection at a time, without I/O.
struct StreamAdmissionTests {
    private enum Event: Sendable {
        case start, startAndSend(isFirst: Bool, streams: Int), open, response(isHttp1: Bool), end(
            hasStartedSending: Bool),
            cancel, close
    }

    private func admission(after events: [Event]) -> StreamAdmission {
        var admission = StreamAdmission()
        for event in events {
            switch event {
            case .start: admission.didStartSearch()
            case .startAndSend(let isFirst, let streams):
                admission.didStartSearch()
                admission.didStartSending(isFirst: isFirst, streams: streams)
            case .open: admission.didFindNoConnection()
            case .response(let isHttp1): admission.didReceive(isHttp1: isHttp1)
            case .end(let hasStartedSending): admission.didEnd(hasStartedSending: hasStartedSending, hasFailed: true)
            case .cancel: admission.didEnd(hasStartedSending: false, hasFailed: false)
            case .close: admission.didCloseConnection()
            }
        }
        return admission
    }

    /// A connection with so many requests in progress, of which one has a response.
    private func connection(with streams: Int) -> [Event] {
        (1...streams).map { Event.startAndSend(isFirst: $0 == 1, streams: $0) } + [.response(isHttp1: false)]
    }

    @Test func untilTheFirstResponseOneRequestLooksForAConnectionAtATime() {
        #expect(admission(after: []).mayStart(waiting: 1))
        #expect(!admission(after: [.start]).mayStart(waiting: 1))
        #expect(admission(after: [.start, .cancel]).mayStart(waiting: 1))
        #expect(!admission(after: [.start, .cancel, .start]).mayStart(waiting: 1))
        let sent = admission(after: [.startAndSend(isFirst: true, streams: 1)])
        #expect(sent.mayStart(waiting: 1))
        #expect(sent.sharing == .unknown)
    }

    @Test func afterAConnectionThatFailedNoRequestWaitsForAnother() {
        let failed: [Event] = [.start, .end(hasStartedSending: false)]
        #expect(admission(after: failed + [.start, .start]).mayStart(waiting: 1))
        // A response shows again what can be shared.
        let answered = admission(after: failed + connection(with: 1))
        #expect(answered.sharing == .streams(100))
        // A connection that lives may have a free stream.
        #expect(admission(after: connection(with: 1) + failed).sharing == .streams(100))
    }

    @Test func withHttp1NoRequestWaits() {
        let first = Event.startAndSend(isFirst: true, streams: 1)
        #expect(admission(after: [first, .response(isHttp1: true), .start, .start]).mayStart(waiting: 1))
        // The second request needs a connection of its own, before the first one has a response.
        #expect(admission(after: [first, .start, .open, .start]).mayStart(waiting: 1))
    }

    @Test func freeStreamsAreUsedInBatches() {
        let one = connection(with: 1)
        #expect(admission(after: one + Array(repeating: .start, count: 31)).mayStart(waiting: 1))
        #expect(!admission(after: one + Array(repeating: .start, count: 32)).mayStart(waiting: 1))
    }

    @Test func connectionsDoubleAtMostAndNotBeyondTheNeed() {
        func opening(usedConnections: Int, waiting: Int) -> Int {
            var admission = StreamAdmission()
            for _ in 0..<usedConnections {
                for stream in 1...100 {
                    admission.didStartSearch()
                    admission.didStartSending(isFirst: stream == 1, streams: stream)
                }
            }
            admission.didReceive(isHttp1: false)
            while admission.mayStart(waiting: waiting) { admission.didStartSearch() }
            return admission.starting
        }
        #expect(opening(usedConnections: 1, waiting: 5_000) == 1)
        #expect(opening(usedConnections: 4, waiting: 5_000) == 4)
        #expect(opening(usedConnections: 4, waiting: 250) == 2)
        #expect(opening(usedConnections: 4, waiting: 1) == 1)
    }

    @Test func aLowerLimitOfTheServerIsHeeded() {
        let full = admission(after: connection(with: 10) + [.start, .open])
        #expect(full.sharing == .streams(10))
        #expect(!full.mayStart(waiting: 50))
        // The new connection can take ten.
        var opened = full
        opened.didStartSending(isFirst: true, streams: 1)
        #expect(opened.mayStart(waiting: 50))
        // More streams than expected.
        #expect(
            admission(after: connection(with: 10) + [.start, .open, .startAndSend(isFirst: false, streams: 60)]).sharing
                == .streams(60))
    }

    @Test func aClosedConnectionHasNoStreams() {
        let lost = admission(
            after: connection(with: 50) + [.close] + Array(repeating: .end(hasStartedSending: true), count: 50))
        #expect(lost.usedConnections == 0 && lost.requests == 0 && lost.starting == 0)
        #expect(lost.mayStart(waiting: 1))
        var next = lost
        next.didStartSearch()
        #expect(!next.mayStart(waiting: 1))
    }
}
#endif
