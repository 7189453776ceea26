#if os(Linux)
/// Waits for events and has libcurl process them, with the driver of ``DriverChoice``. Used by the event loop's thread
/// alone.
final class EventPoller {
    private let handles: MultiHandles
    private let connections: ConnectionTable
    private let poll: PollDriver
    private let epoll: EpollDriver
    private var choice = DriverChoice()
    private var bufferedReads = BufferedReadCheck()

    /// Returns nil if the system has no descriptor for it.
    init?(_ handles: MultiHandles, _ wakeUp: WakeUp, _ connections: ConnectionTable) {
        guard let epoll = EpollDriver(handles, wakeUp, connections) else { return nil }
        self.handles = handles
        self.connections = connections
        self.epoll = epoll
        poll = PollDriver(handles.first, wakeUp)
    }

    private var driver: any EventDriver { choice.kind == .poll ? poll : epoll }

    func didStartTransfer(in multi: CurlMultiHandle) {
        driver.didStartTransfer(in: multi)
    }

    /// Records that this event-loop iteration has commands to execute.
    func didReceiveCommands() {
        bufferedReads.didReceiveCommands()
    }

    /// Waits for events. After a change to the epoll driver, it returns at once.
    ///
    /// - Parameter longest: the longest wait in milliseconds.
    func wait(longest: Int32) {
        let hasChanged = choice.update(
            running: handles.running, openConnections: connections.count, keptConnections: handles.keptConnections,
            usesSeveralHandles: handles.usesSeveral)
        if hasChanged, choice.kind == .epoll { return epoll.attach() }
        if hasChanged { epoll.detach() }
        let isCheckOwed = bufferedReads.isOwed && handles.running > 0
        let hasEvents = driver.wait(longest: driver.isTimeoutDue || isCheckOwed ? 0 : longest)
        if !hasEvents, isCheckOwed { bufferedReads.didWaitWithoutEvents() }
    }

    /// Has libcurl process what the last wait reported.
    func processEvents() {
        update { driver.processEvents() }
        guard bufferedReads.isDue else { return }
        if choice.kind == .epoll {
            update { driver.visit(connections.multiplexed) }
            bufferedReads.didVisit()
        } else {
            driver.visit(connections.multiplexed)
        }
    }

    /// Has libcurl process its timeout, if it is due.
    func processTimeout() {
        guard driver.isTimeoutDue else { return }
        let before = handles.running
        let isCheck = bufferedReads.isDue
        update { driver.processTimeout() }
        if choice.kind == .poll, !isCheck { choice.didVisit(runningBefore: before, after: handles.running) }
        if isCheck { bufferedReads.didVisit() }
    }

    private func update(_ process: () -> Void) {
        let before = handles.running
        process()
        bufferedReads.didProcess(
            runningBefore: before, after: handles.running, isMultiplexed: !connections.multiplexed.isEmpty)
    }
}
#endif
