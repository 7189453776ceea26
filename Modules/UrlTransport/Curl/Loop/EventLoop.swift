#if os(Linux)
import CNetChainCurl
import Glibc
import NodeCore
import Synchronization

/// One thread that owns libcurl multi handles and their transfers, as other threads see it.
///
/// Other threads only append commands to a queue, and wake the thread if it sleeps. The thread ends when the loop is
/// closed, or when it is finished and has no transfers left.
final class EventLoop: TransferOwner {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        case resume(CurlTransfer)
        case filesReady(CurlTransfer, Result<PartialFile?, BodyFailure>)
        indirect case fileEnded(CurlTransfer, Result<HttpResponse, TransportError>)
        case networkChanged
    }

    enum Life: Sendable {
        case open
        /// New transfers are rejected; those in progress continue.
        case finishing
        /// Transfers in progress fail.
        case closing
        /// The thread has ended.
        case ended

        /// Whether a command is accepted.
        func accepts(_ command: Command) -> Bool {
            switch (self, command) {
            case (.open, _), (.finishing, .cancel), (.closing, .cancel): true
            case (.finishing, .resume), (.finishing, .filesReady), (.finishing, .fileEnded): true
            case (.finishing, .networkChanged): true
            default: false
            }
        }
    }

    private struct State: Sendable {
        var commands: [Command] = []
        var isSleeping = false
        var life = Life.open
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    /// Starts the thread.
    ///
    /// - Throws: ``SenderConfigurationError`` if libcurl can't be set up or the system can't start a thread.
    init(configuration: CurlConfiguration) throws {
        guard let wakeUp = WakeUp(), let sockets = EpollSet(wakeUp: wakeUp.descriptor),
            let handles = MultiHandles(sockets, mostIdle: configuration.connections.maxIdle),
            let share = CurlShareHandle.sessions(withCookies: configuration.cookies == .memory)
        else { throw SenderConfigurationError(setting: "sender", reason: "libcurl can't be set up") }
        self.wakeUp = wakeUp
        let connections = ConnectionTable(sockets, userTimeout: configuration.connections.tcpUserTimeout)
        let poller = EventPoller(handles, sockets, connections)
        let thread = EventLoopThread(
            self, TransferScheduler(self, handles, connections, share, configuration), handles, poller)
        if let error = thread.start() {
            throw SenderConfigurationError(setting: "sender", reason: "no thread: \(String(cString: strerror(error)))")
        }
    }

    /// Starts a transfer. Returns false if the loop is finished or closed.
    func start(_ transfer: CurlTransfer) -> Bool {
        append(.start(transfer))
    }

    func cancel(_ transfer: CurlTransfer) {
        _ = append(.cancel(transfer))
    }

    func resume(_ transfer: CurlTransfer) {
        _ = append(.resume(transfer))
    }

    func filesReady(of transfer: CurlTransfer, _ result: Result<PartialFile?, BodyFailure>) {
        if !append(.filesReady(transfer, result)), case .success(let file?) = result { file.letGo() }
    }

    func fileEnded(of transfer: CurlTransfer, _ result: Result<HttpResponse, TransportError>) {
        if !append(.fileEnded(transfer, result)) { transfer.context.settle(result) }
    }

    /// The application says that the network has changed.
    func networkDidChange() {
        _ = append(.networkChanged)
    }

    /// Rejects new transfers. The thread ends when those in progress have ended.
    func finish() {
        end(.finishing)
    }

    /// Fails the transfers in progress and ends the thread.
    func close() {
        end(.closing)
    }

    /// Whether the thread has ended.
    var hasEnded: Bool {
        state.withLock { $0.life == .ended }
    }

    private func append(_ command: Command) -> Bool {
        let (isAccepted, wakes) = state.withLock { state -> (Bool, Bool) in
            guard state.life.accepts(command) else { return (false, false) }
            state.commands.append(command)
            defer { state.isSleeping = false }
            return (true, state.isSleeping)
        }
        if wakes { wakeUp.signal() }
        return isAccepted
    }

    private func end(_ life: Life) {
        let wakes = state.withLock { state in
            if state.life == .open || state.life == .finishing { state.life = life }
            defer { state.isSleeping = false }
            return state.isSleeping
        }
        if wakes { wakeUp.signal() }
    }

    // MARK: For the event loop's thread

    /// Swaps the queued commands with `commands` if that is empty.
    func take(_ commands: inout [Command]) -> Life {
        state.withLock { state in
            state.isSleeping = false
            if commands.isEmpty { swap(&state.commands, &commands) }
            return state.life
        }
    }

    var hasCommands: Bool {
        state.withLock { !$0.commands.isEmpty }
    }

    /// Returns whether the thread may wait for events. Then a command wakes it.
    ///
    /// - Parameter hasTransfers: whether transfers are in progress.
    func maySleep(hasTransfers: Bool) -> Bool {
        state.withLock { state in
            // `finish()` and `close()` don't wake a busy thread.
            let hasWork = state.life == .open || state.life == .finishing && hasTransfers
            state.isSleeping = state.commands.isEmpty && hasWork
            return state.isSleeping
        }
    }

    /// Records that the thread has ended, and drops its commands.
    func didEnd() {
        // Commands hold objects of callers: they are released after unlocking.
        let commands = state.withLock { state in
            defer { state.commands = [] }
            state.life = .ended
            return state.commands
        }
        withExtendedLifetime(commands) {}
    }
}
#endif
