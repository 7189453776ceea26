#if os(Linux)
import CNetChainCurl
import Glibc
import HttpMessages
import NodeCore
import Synchronization

/// One thread that owns libcurl multi handles and their transfers, as other threads see it.
///
/// Other threads only append commands to a queue, and wake the thread if it sleeps. The thread ends when the loop is
/// closed, or when it is finished and has no transfers left.
final class EventLoop: Sendable {
    enum Lifecycle: Sendable {
        case open
        /// New transfers are rejected. The thread ends when those in progress have ended.
        case finishing
        /// Transfers in progress fail, and the thread ends.
        case closing
        case ended

        func accepts(_ command: TransferCommand) -> Bool {
            switch (self, command) {
            case (.finishing, .start), (.closing, _), (.ended, _): false
            case (.open, _), (.finishing, _): true
            }
        }
    }

    private struct State: Sendable {
        var commands: [TransferCommand] = []
        /// What tasks have to run on the thread.
        var jobs: [UnownedJob] = []
        var isSleeping = false
        var lifecycle = Lifecycle.open
        /// The tasks that wait for the end of the thread.
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    /// Starts the thread.
    ///
    /// - Throws: ``SenderConfigurationError`` if libcurl can't be set up or the system can't start a thread.
    init(configuration: CurlConfiguration) throws {
        let pools = Pools(
            requestsPerOrigin: configuration.limits.requestsPerOrigin, mostIdle: configuration.connections.maxIdle)
        guard let wakeUp = WakeUp(), let sockets = EpollSet(wakeUp: wakeUp.descriptor),
            let handles = MultiHandles(sockets, pools),
            let share = CurlShareHandle(withCookies: configuration.cookies == .memory)
        else { throw SenderConfigurationError(setting: "sender", reason: "libcurl can't be set up") }
        self.wakeUp = wakeUp
        let connections = ConnectionTable(
            sockets, userTimeout: configuration.connections.tcpUserTimeout,
            idleTimeout: configuration.connections.idleTimeout)
        let scheduler = TransferScheduler(self, pools, handles, connections, share)
        let thread = EventLoopThread(self, scheduler, handles, sockets, connections)
        if let error = thread.start() {
            throw SenderConfigurationError(setting: "sender", reason: "no thread: \(String(cString: strerror(error)))")
        }
    }

    /// Makes the thread execute a command, or rejects it if the loop is closed. Any thread may call it.
    func post(_ command: TransferCommand) {
        let isAccepted = wake { state in
            guard state.lifecycle.accepts(command) else { return false }
            state.commands.append(command)
            return true
        }
        if !isAccepted { command.reject() }
    }

    /// Returns when the thread has ended, or the task is canceled.
    func waitForEnd() async {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    // A cancel before this has found no waiter.
                    if state.lifecycle == .ended || Task.isCancelled { return true }
                    state.waiters[id] = waiter
                    return false
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            state.taking { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// Begins the end of the thread: ``Lifecycle/finishing`` or ``Lifecycle/closing``.
    func end(_ lifecycle: Lifecycle) {
        wake { state in
            if state.lifecycle == .open || state.lifecycle == .finishing { state.lifecycle = lifecycle }
            return true
        }
    }

    /// Changes the state, and wakes the thread if `change` returns true and it sleeps. Returns what `change` has returned.
    @discardableResult
    private func wake(_ change: (inout State) -> Bool) -> Bool {
        let (isChanged, wasSleeping) = state.withLock { state in
            guard change(&state) else { return (false, false) }
            defer { state.isSleeping = false }
            return (true, state.isSleeping)
        }
        if wasSleeping { wakeUp.signal() }
        return isChanged
    }

    // MARK: For the event loop's thread

    /// Moves the queued commands to `commands`, if that is empty.
    @discardableResult
    func take(_ commands: inout [TransferCommand]) -> Lifecycle {
        state.withLock { state in
            state.isSleeping = false
            if commands.isEmpty { swap(&state.commands, &commands) }
            return state.lifecycle
        }
    }

    /// Runs the jobs that are queued now.
    ///
    /// - Parameter jobs: memory that is used again.
    func runJobs(_ jobs: inout [UnownedJob]) {
        state.withLock { swap(&$0.jobs, &jobs) }
        for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        jobs.removeAll(keepingCapacity: jobs.capacity < 1024)
    }

    var hasWork: Bool {
        state.withLock { !$0.commands.isEmpty || !$0.jobs.isEmpty }
    }

    /// Returns whether the thread may wait for events. Then a command wakes it.
    ///
    /// - Parameter hasTransfers: whether transfers are in progress.
    func maySleep(hasTransfers: Bool) -> Bool {
        state.withLock { state in
            // `end(_:)` doesn't wake a busy thread.
            let isWaiting = state.lifecycle == .open || state.lifecycle == .finishing && hasTransfers
            state.isSleeping = state.commands.isEmpty && state.jobs.isEmpty && isWaiting
            return state.isSleeping
        }
    }

    /// Records that the thread has ended, and drops its commands. Its jobs run on the global executor.
    func didEnd() {
        // Commands hold objects of callers.
        let (_, jobs, waiters) = state.taking { state in
            defer { (state.commands, state.jobs, state.waiters) = ([], [], [:]) }
            state.lifecycle = .ended
            return (state.commands, state.jobs, state.waiters)
        }
        for job in jobs { globalConcurrentExecutor.enqueue(job) }
        for waiter in waiters.values { waiter.resume() }
    }
}

extension EventLoop: TaskExecutor {
    /// Makes the thread run a job of a task. Any thread may call it. A job that comes after the end of the thread runs on the
    /// global executor, because a task must be able to end.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAccepted = wake { state in
            guard state.lifecycle != .ended else { return false }
            state.jobs.append(job)
            return true
        }
        if !isAccepted { globalConcurrentExecutor.enqueue(job) }
    }
}

/// Wakes the event loop's thread with an eventfd(2). Any thread may call ``signal()``.
final class WakeUp: Sendable {
    let descriptor: Int32

    /// Returns nil if the system has no descriptor for it.
    init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}
#endif
