#if os(Linux)
import CNetChainCurl
import Glibc

/// The thread of an event loop: it executes commands, lets libcurl process events, and waits. No other thread uses its
/// members.
///
/// Properties of its objects that each request accesses several times are `@exclusivity(unchecked)`: one thread accesses
/// them, and no access lasts while libcurl or a closure runs that accesses the same one. The checks at run time take 5 % of
/// the instructions of a small request; `Scripts/check.sh exclusivity` runs the tests with them.
final class EventLoopThread {
    /// The number of iterations with commands after which the sockets are polled. Meanwhile more bytes arrive, and one visit
    /// reads them. With libcurl 7.88, that saves 8 % of the processor time of responses of 20 KB, 64 at a time, over HTTP/2.
    /// With 8.14 it makes no difference: this can go with 7.88.
    private static let mostIterationsWithoutPolling = 8
    /// The most commands that are executed before the next events. Many at once, such as the cancels of a large group,
    /// must not hold up other transfers.
    private static let mostCommands = 128

    private let loop: EventLoop
    private let handles: MultiHandles
    private let sockets: EpollSet
    private let connections: ConnectionTable
    private var scheduler: TransferScheduler
    /// Since when shared connections must be visited (``LibcurlWorkarounds``); nil if they need not be.
    private var visitDueSince: Moment?
    /// The visits in succession that have completed no transfer.
    private var visitsWithoutCompletion = 0
    /// Whether the last wait found neither commands nor events.
    private var foundNoWork = false
    private var iterationsWithoutPolling = 0

    init(
        _ loop: EventLoop, _ scheduler: TransferScheduler, _ handles: MultiHandles, _ sockets: EpollSet,
        _ connections: ConnectionTable
    ) {
        self.loop = loop
        self.scheduler = scheduler
        self.handles = handles
        self.sockets = sockets
        self.connections = connections
    }

    /// Starts the thread. Returns the error of pthread_create(3); nil for success.
    func start() -> Int32? {
        let argument = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<EventLoopThread>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard error == 0 else {
            argument.release()
            return error
        }
        pthread_detach(thread)
        return nil
    }

    private func run() {
        netchain_name_thread("netchain-curl")
        blockBrokenPipeSignal()
        keepFreedMemory()
        iterate()
        scheduler.spares.removeAll()
        // libcurl's callbacks use the connection table, so the connections are closed before it is released.
        handles.close()
        loop.didEnd()
    }

    /// Blocks SIGPIPE: writing to a connection that the peer has closed must be an error, not a signal to the process.
    private func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Makes glibc keep up to 2 MB of freed memory at the top of the process's heaps (mallopt(3), `M_TRIM_THRESHOLD`).
    ///
    /// By default, glibc returns 128 KB and more to the system, and the bodies of the next responses cause page faults.
    /// Freeing a mapped block of 1 MB raises that threshold. This saves a third of the processor time of a response of
    /// 20 KB, and can go with an allocator that keeps memory.
    private func keepFreedMemory() {
        let block = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 1)
        block.storeBytes(of: 1, as: UInt8.self)
        block.deallocate()
    }

    private func iterate() {
        // Reversed: the last one is the next to run.
        var commands: [TransferCommand] = []
        var jobs: [UnownedJob] = []
        while true {
            // First, because they send requests.
            loop.runJobs(&jobs)
            let areNew = commands.isEmpty
            let lifecycle = loop.take(&commands)
            if areNew { commands.reverse() }
            for _ in 0..<Self.mostCommands {
                guard let command = commands.popLast() else { break }
                scheduler.execute(command)
            }
            if commands.isEmpty, commands.capacity >= 1024 { commands = [] }
            let now = Moment.now
            scheduler.failOverdue(now)
            scheduler.reportProgress(now)
            scheduler.spares.removeIdle(now)
            if connections.shutDownIdle(now) {
                handles.removeUnused(hasUsableConnection: connections.hasUsable(in:))
            }
            if lifecycle == .closing {
                var queued: [TransferCommand] = []
                loop.take(&queued)
                return scheduler.failAll(and: commands.reversed() + queued)
            }
            process(since: now)
            if lifecycle == .finishing, scheduler.isIdle, commands.isEmpty, !loop.hasWork { return }
            wait(hasWork: !commands.isEmpty || scheduler.hasReady)
        }
    }

    // MARK: Processing

    /// Lets libcurl process the events of the last wait, then its timeouts that are due. A completed transfer may start
    /// another one, or its next hop, whose timeout is due at once. After a time slice, other events come first.
    ///
    /// - Parameter start: when the time slice began.
    private func process(since start: Moment) {
        // Not while events keep arriving, for at most a time slice: they may complete the transfers anyway.
        if let visitDueSince, foundNoWork || visitDueSince.hasUsedTimeSlice { visitSharedConnections() }
        if sockets.hasEvents {
            visitsWithoutCompletion = 0
            scheduleVisit()
            sockets.processEvents()
        }
        repeat { processTimeouts() } while scheduler.processCompleted() && !start.hasUsedTimeSlice
        handles.removeUnused()
    }

    private func processTimeouts() {
        guard let timeout = handles.nextTimeout, timeout <= .now else { return }
        scheduleVisit()
        handles.processTimeouts()
    }

    /// Schedules a visit of the shared connections after the next processing. One transfer alone needs none: no other
    /// transfer can read its data.
    private func scheduleVisit() {
        if visitDueSince == nil, !connections.multiplexed.isEmpty, handles.running > 1 { visitDueSince = .now }
    }

    /// Lets libcurl visit the transfers on shared connections, until two visits in succession complete none. In the first one,
    /// bytes may arrive and be read after the visit of their transfer.
    ///
    /// Within one transfer, libcurl reads the data of all transfers on an HTTP/2 connection, and doesn't always resume the
    /// others. The server sends nothing more, so the others would wait until their timeout.
    private func visitSharedConnections() {
        let before = handles.running
        sockets.visit(connections.multiplexed)
        visitsWithoutCompletion = handles.running < before ? 0 : visitsWithoutCompletion + 1
        guard visitsWithoutCompletion == 2 else { return visitDueSince = .now }
        (visitDueSince, visitsWithoutCompletion) = (nil, 0)
    }

    // MARK: Waiting

    /// - Parameter hasWork: whether the next iteration follows at once.
    private func wait(hasWork: Bool) {
        let maySleep = !hasWork && loop.maySleep(hasTransfers: !scheduler.isIdle)
        foundNoWork = false
        iterationsWithoutPolling += 1
        guard maySleep || hasWork || iterationsWithoutPolling >= Self.mostIterationsWithoutPolling else { return }
        iterationsWithoutPolling = 0
        let hasEvents = sockets.wait(longest: maySleep && visitDueSince == nil ? longestWait : 0)
        foundNoWork = maySleep && !hasEvents
    }

    /// The time until the next deadline or timeout of libcurl in milliseconds, at most a minute.
    private var longestWait: Int32 {
        let most: Int32 = 60_000
        let check = Moment.earliest(scheduler.nextCheck, connections.nextIdleCheck)
        let next = Moment.earliest(.earliest(check, scheduler.nextReport), handles.nextTimeout)
        guard let rest = next?.distance, rest < .milliseconds(most) else { return most }
        // Rounded up, so that it has passed when the wait is over.
        return Int32(max(0, rest / .milliseconds(1)).rounded(.up))
    }
}
#endif
