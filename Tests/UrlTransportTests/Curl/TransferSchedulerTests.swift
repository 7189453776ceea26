#if os(Linux)
import NodeCore
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The scheduler without its thread, and with one request slot an origin.
struct TransferSchedulerTests {
    private let wakeUp: WakeUp
    private let handles: MultiHandles
    private let loop: EventLoop
    private let connections: ConnectionTable
    private let settings: CurlSettings
    private let scheduler: TransferScheduler

    init() throws {
        var configuration = CurlConfiguration()
        configuration.proxy = .none
        wakeUp = try #require(WakeUp())
        let sockets = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 1)
        handles = try #require(MultiHandles(sockets, pools))
        loop = try EventLoop(configuration: configuration)
        connections = ConnectionTable(sockets)
        settings = CurlSettings(configuration)
        scheduler = TransferScheduler(
            loop, pools, handles, connections, try #require(CurlShareHandle(withCookies: false)))
    }

    private func transfer(timeout: Duration, port: Int = 1) throws -> CurlTransfer {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let request = HttpRequest(method: .get, url: url, options: RequestOptions(timeout: timeout))
        return CurlTransfer(request, settings: settings) { _ in }
    }

    /// A slot that becomes free passes to the queue, where the time of each transfer is over.
    @Test func aQueueWhoseTimeIsUpFailsInPartsWhenASlotIsFree() throws {
        var scheduler = scheduler
        let first = try transfer(timeout: .seconds(60))
        let queued = try (0..<3 * TransferScheduler.mostBegun).map { _ in try transfer(timeout: .milliseconds(1)) }
        for transfer in [first] + queued { scheduler.execute(.start(transfer)) }
        func failed() -> Int { queued.count { $0.reply.isSettled } }
        #expect(failed() == 0)
        while queued.contains(where: { $0.remainingTime.map { $0 > .zero } ?? true }) {}
        scheduler.execute(.cancel(first))
        _ = scheduler.processCompleted()
        #expect(failed() == TransferScheduler.mostBegun)
        var rounds = 0
        while failed() < queued.count, rounds < 10 {
            let before = failed()
            #expect(scheduler.hasReady)
            scheduler.failOverdue()
            _ = scheduler.processCompleted()
            #expect(failed() - before <= TransferScheduler.mostBegun + TransferScheduler.mostOverdue)
            rounds += 1
        }
        #expect(failed() == queued.count)
        #expect(scheduler.isIdle)
        handles.close()
        loop.end(.closing)
        withExtendedLifetime((connections, wakeUp)) {}
    }

    /// Another thread may cancel a transfer before its start is posted.
    @Test(arguments: [0, 1]) func aTransferThatIsCanceledBeforeItsStartNeverStarts(running: Int) throws {
        var scheduler = scheduler
        for _ in 0..<running { scheduler.execute(.start(try transfer(timeout: .seconds(60)))) }
        let canceled = try transfer(timeout: .seconds(60))
        scheduler.execute(.cancel(canceled))
        scheduler.execute(.start(canceled))
        #expect(canceled.number == nil)
        #expect(scheduler.isIdle == (running == 0))
        scheduler.failAll(and: [])
        handles.close()
        loop.end(.closing)
        withExtendedLifetime((connections, wakeUp)) {}
    }

    @Test func someOfManyTransfersFailAtATimeWhenTheirTimeIsUp() throws {
        var scheduler = scheduler
        let transfers = try (0..<3 * TransferScheduler.mostOverdue).map { _ in try transfer(timeout: .seconds(60)) }
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
        withExtendedLifetime((connections, wakeUp)) {}
    }

    /// A check reads all of them.
    @Test func transfersThatBeginAtDifferentTimesAreCheckedForStallsTogether() throws {
        var scheduler = scheduler
        var starts: [Moment] = []
        for port in 1...10 {
            scheduler.execute(.start(try transfer(timeout: .seconds(60), port: port)))
            starts.append(.now)
            while Moment.now < starts[starts.count - 1] + .milliseconds(2) {}
        }
        var check = try #require(scheduler.nextCheck)
        #expect(check <= starts[0] + .seconds(1))
        for _ in 0..<3 {
            scheduler.failOverdue(check)
            #expect(scheduler.nextCheck == check + .seconds(1))
            check = try #require(scheduler.nextCheck)
        }
        scheduler.failAll(and: [])
        handles.close()
        loop.end(.closing)
        withExtendedLifetime((connections, wakeUp)) {}
    }
}
#endif
