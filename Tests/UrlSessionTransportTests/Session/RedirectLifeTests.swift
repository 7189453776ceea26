import Dispatch
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing
import UrlSessionTransport
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if (os(Linux) || os(macOS)) && compiler(>=6.2)  // Exit tests.
@Suite(.timeLimit(.minutes(1)))
struct RedirectLifeTests {
    /// Between a redirect and the next hop no task is in progress. An ended session that is asked for one ends the
    /// process, so this one is a process of its own.
    @Test func aSenderThatIsDroppedWhileARedirectIsHandledFollowsIt() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on(.put, "/old", respond: .redirect(to: "/new", status: 307))
            server.on(.put, "/new", respond: .text("here"))
            let holder = SenderHolder(try SenderKind.urlSession.sender())
            let other = try SenderKind.urlSession.sender()
            let elsewhere = try LoopbackServer()
            // The first hop tells of its end before the second begins. A session ends on a queue of its own; in the time
            // of a request to another one it would have done so.
            let options = RequestOptions { _ in
                guard holder.drop() else { return }
                let answered = DispatchSemaphore(value: 0)
                other.observed(elsewhere.request()).onSettled { _ in answered.signal() }
                answered.wait()
            }
            let request = server.request(.put, "/old", body: .data(Data("body".utf8)), options: options)
            let observer = try #require(holder.send(request))
            #expect(try await observer.value.data == Data("here".utf8))
            #expect(!holder.hasSender)
            #expect(server.requests("/new").map(\.text) == ["body"])
            try await server.waitForConnections(open: 0)
        }
    }
}
#endif

/// The one reference to a sender.
private final class SenderHolder: Sendable {
    private let sender: Mutex<(any RequestSender)?>

    init(_ sender: any RequestSender) {
        self.sender = Mutex(sender)
    }

    var hasSender: Bool {
        sender.withLock { $0 != nil }
    }

    func send(_ request: HttpRequest) -> Observer<HttpResponse>? {
        sender.withLock { $0?.observed(request) }
    }

    /// Whether there still was one.
    func drop() -> Bool {
        let dropped = sender.withLock { sender in
            defer { sender = nil }
            return sender
        }
        return dropped != nil
    }
}
