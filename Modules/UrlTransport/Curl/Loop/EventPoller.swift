#if os(Linux)
/// Waits for events and has libcurl process them. Used by the event loop's thread alone.
final class EventPoller {
    private let handles: MultiHandles
    private let sockets: EpollSet
    private let connections: ConnectionTable
    private var bufferedReads = BufferedReadCheck()

    init(_ handles: MultiHandles, _ sockets: EpollSet, _ connections: ConnectionTable) {
        self.handles = handles
        self.sockets = sockets
        self.connections = connections
    }

    /// Records that this event-loop iteration has commands to execute.
    func didReceiveCommands() {
        bufferedReads.didReceiveCommands()
    }

    /// Waits for events, at most until libcurl's next timeout.
    ///
    /// - Parameter longest: the longest wait in milliseconds.
    func wait(longest: Int32) {
        let isCheckOwed = bufferedReads.isOwed && handles.running > 0
        var longest = isCheckOwed ? 0 : longest
        if longest > 0, let rest = handles.nextTimeout?.distance {
            // Rounded up, so that the timeout is due after the wait.
            longest = Int32(min(Double(longest), max(0, rest / .milliseconds(1)).rounded(.up)))
        }
        let hasEvents = sockets.wait(longest: longest)
        if !hasEvents, isCheckOwed { bufferedReads.didWaitWithoutEvents() }
    }

    /// Has libcurl process what the last wait reported.
    func processEvents() {
        update { sockets.processEvents(streams: connections.streams(on:)) }
        guard bufferedReads.isDue else { return }
        update { sockets.visit(connections.multiplexed) }
        bufferedReads.didVisit()
    }

    /// Has libcurl process its timeouts that are due.
    func processTimeouts() {
        guard let timeout = handles.nextTimeout, timeout <= .now else { return }
        update { handles.processTimeouts() }
    }

    private func update(_ process: () -> Void) {
        let before = handles.running
        process()
        bufferedReads.didProcess(
            runningBefore: before, after: handles.running, isMultiplexed: !connections.multiplexed.isEmpty)
    }
}
#endif
