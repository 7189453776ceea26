#if os(Linux)
import CNetChainCurl
import Glibc
import TestSupport
import Testing

@testable import UrlTransport

/// The epoll set with real sockets, and without libcurl.
final class EpollSetTests {
    /// Records the events that it should process.
    private final class Handler: SocketEventHandler {
        var events: [Int32] = []
        var streams = 0
        var visitsDue = 0

        func process(_ socket: Int32, _ events: Int32, streams: Int) {
            self.events.append(events)
            self.streams = streams
        }
        func requestVisit() { visitsDue += 1 }
    }

    private let wakeUp: WakeUp
    private let set: EpollSet
    private let handler = Handler()
    /// The set's socket, and the peer's.
    private var pair: [Int32] = [-1, -1]
    private var socket: Int32 { pair[0] }
    private var peer: Int32 { pair[1] }

    init() throws {
        wakeUp = try #require(WakeUp())
        set = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    }

    deinit {
        for descriptor in pair { close(descriptor) }
    }

    /// Returns the events that the handler got after one wait, which doesn't block.
    private func wait() -> [Int32] {
        _ = set.wait(longest: 0)
        handler.events = []
        set.processEvents()
        return handler.events
    }

    private func write() {
        #expect(Glibc.write(peer, "x", 1) == 1)
    }

    @Test(
        arguments: [
            (CURL_POLL_IN, [CURL_CSELECT_IN]), (CURL_POLL_OUT, [CURL_CSELECT_OUT]),
            (CURL_POLL_INOUT, [CURL_CSELECT_IN | CURL_CSELECT_OUT]), (CURL_POLL_REMOVE, []),
        ] as [(Int32, [Int32])])
    func onlyWantedEventsAreProcessed(wanted: Int32, expected: [Int32]) {
        write()
        set.setInterest(in: socket, wanted, handler)
        #expect(wait() == expected)
    }

    @Test func theHandlerGetsTheStreamsOfTheConnection() {
        let connection = Connection(socket: socket)
        connection.health = .busy(requests: 7)
        set.didOpen(connection)
        set.setInterest(in: socket, CURL_POLL_OUT, handler)
        _ = wait()
        #expect(handler.streams == 7)
    }

    /// A socket without a connection reports that it has hung up, and nothing to read.
    @Test func aHangUpIsProcessedAsTheWantedEvents() throws {
        let unconnected = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(unconnected) }
        set.setInterest(in: unconnected, CURL_POLL_IN, handler)
        #expect(wait() == [CURL_CSELECT_IN])
    }

    @Test func eachWakeUpEndsOneWait() {
        #expect(!set.wait(longest: 0))
        for _ in 0..<2 {
            wakeUp.signal()
            wakeUp.signal()
            #expect(set.wait(longest: 10_000))
            set.processEvents()
            #expect(!set.wait(longest: 0))
        }
        #expect(handler.events.isEmpty)
    }

    @Test func anIdleConnectionWakesTheLoopOnce() {
        set.didOpen(Connection(socket: socket))
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        set.setInterest(in: socket, CURL_POLL_REMOVE, handler)
        write()
        #expect(set.wait(longest: 0))
        set.processEvents()
        #expect(handler.events.isEmpty)
        #expect(!set.wait(longest: 0))
        // The next request reads it.
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        #expect(wait() == [CURL_CSELECT_IN])
    }

    @Test func aClosedConnectionHasNoEvents() {
        set.didOpen(Connection(socket: socket))
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        write()
        set.willCloseConnection(socket)
        #expect(!set.wait(longest: 0))
    }

    @Test func anEventOfAConnectionThatWasClosedSinceTheWaitIsIgnored() {
        set.didOpen(Connection(socket: socket))
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        write()
        #expect(set.wait(longest: 0))
        set.willCloseConnection(socket)
        set.processEvents()
        #expect(handler.events.isEmpty)
    }

    @Test func theDescriptorOfAClosedConnectionServesTheNextOne() throws {
        set.didOpen(Connection(socket: socket))
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        set.willCloseConnection(socket)
        var other: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &other) == 0)
        dup2(other[0], socket)
        close(other[0])
        close(peer)
        pair[1] = other[1]
        set.didOpen(Connection(socket: socket))
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        #expect(wait().isEmpty)
        write()
        #expect(wait() == [CURL_CSELECT_IN])
    }

    @Test func theSocketsOfAClosedHandleHaveNoEvents() {
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        write()
        set.removeSockets(of: handler)
        #expect(wait().isEmpty)
    }

    @Test func aVisitProcessesNoEvent() {
        set.setInterest(in: socket, CURL_POLL_IN, handler)
        set.visit([socket, peer])
        #expect(handler.events == [0])
    }

    /// libcurl 7.88 closes a socket that was not connected without a report.
    @Test func aCloseWithoutAReportIsDetectedByTheFile() throws {
        var closed: [Int32] = []
        set.onUnreportedClose = { closed.append($0) }
        set.didOpen(Connection(socket: socket))
        set.setInterest(in: socket, CURL_POLL_OUT, handler)
        // Another file has the descriptor.
        dup2(wakeUp.descriptor, socket)
        set.setInterest(in: socket, CURL_POLL_REMOVE, handler)
        #expect(closed == [socket])
        #expect(handler.visitsDue == 1)
    }

    @Test func anEstablishedConnectionIsNotTakenForClosed() {
        var closed: [Int32] = []
        set.onUnreportedClose = { closed.append($0) }
        set.didOpen(Connection(socket: socket))
        for what in [CURL_POLL_OUT, CURL_POLL_REMOVE, CURL_POLL_IN, CURL_POLL_REMOVE] {
            set.setInterest(in: socket, what, handler)
        }
        #expect(closed.isEmpty)
        #expect(handler.visitsDue == 0)
    }
}
#endif
