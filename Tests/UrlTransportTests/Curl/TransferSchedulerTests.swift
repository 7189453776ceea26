#if os(Linux)
import NodeCore
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The scheduler without its thread.
struct TransferSchedulerTests {
    @Test func someOfManyTransfersFailAtATimeWhenTheirTimeIsUp() throws {
        var configuration = CurlConfiguration()
        configuration.proxy = .none
        let wakeUp = try #require(WakeUp())
        let sockets = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 1)
        let handles = try #require(MultiHandles(sockets, pools))
        let share = try #require(CurlShareHandle(withCookies: false))
        let loop = try EventLoop(configuration: configuration)
        let connections = ConnectionTable(sockets)
        var scheduler = TransferScheduler(loop, pools, handles, connections, share)
        let settings = CurlSettings(configuration)
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let options = RequestOptions(timeout: .seconds(60))
        let transfers = (0..<3 * TransferScheduler.mostOverdue).map { _ in
            CurlTransfer(HttpRequest(method: .get, url: url, options: options), settings: settings) { _ in }
        }
        #expect(TransferScheduler.mostOverdue <= 64)
        for transfer in transfers { scheduler.execute(.start(transfer)) }
        func failed() -> Int { transfers.count { $0.reply.isSettled } }
        #expect(failed() == 0)
        let late = Moment.now + .seconds(120)
        for round in 1...3 {
            scheduler.failOverdue(late)
            #expect(failed() == round * TransferScheduler.mostOverdue)
            #expect(scheduler.isIdle == (round == 3))
        }
        scheduler.failOverdue(late)
        #expect(scheduler.nextCheck == nil)
        handles.close()
        loop.end(.closing)
        withExtendedLifetime(connections) {}
    }
}
#endif
