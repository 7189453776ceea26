#if os(Linux)
import CNetChainCurl
import Glibc
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One thread that owns one libcurl multi handle and all transfers on it.
///
/// Other threads only put commands into a queue, and wake the thread when it sleeps. The thread settles contexts, and the
/// task of the run that waits for one goes on from there. The thread ends when the loop is closed, or has been let go of and
/// has nothing left to do.
final class CurlEventLoop: Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        case resume(CurlTransfer)
        case fileReady(CurlTransfer, Result<PartialFile?, BodyFailure>)
        indirect case fileEnded(CurlTransfer, Result<HttpResponse, TransportError>)
        case run(UnownedJob)
    }

    enum Life: Sendable {
        case open
        /// Nobody can submit any more; what is under way goes on.
        case finishing
        /// What is under way fails.
        case closing
        /// The thread has ended.
        case ended
    }

    private struct Shared: Sendable {
        var commands: [Command] = []
        var isSleeping = false
        var life = Life.open
    }

    private let shared = Mutex(Shared())
    let multi: CurlMultiHandle
    /// Tells the process that has the thread from its children.
    private let forksAtStart = Forks.begin()

    /// - Throws: ``SenderConfigurationError`` when libcurl or the system has no memory for a loop.
    init(configuration: SenderConfiguration) throws {
        guard let multi = CurlMultiHandle(idleConnections: configuration.limits.idleConnections) else {
            throw SenderConfigurationError(setting: "sender", reason: "libcurl can't be set up")
        }
        self.multi = multi
        ProcessExit.watch()
        netchain_multi_set_long(multi.raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        try startThread(configuration)
    }

    private func startThread(_ configuration: SenderConfiguration) throws {
        let run = Run(loop: self, configuration: configuration)
        let argument = Unmanaged.passRetained(run)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Run>.fromOpaque(argument).takeRetainedValue().main()
                return nil
            }, argument.toOpaque())
        guard result == 0 else {
            argument.release()
            throw SenderConfigurationError(setting: "sender", reason: "no thread: \(String(cString: strerror(result)))")
        }
        pthread_detach(thread)
    }

    /// Starts a transfer; false when the loop is closed.
    func start(_ transfer: CurlTransfer) -> Bool {
        add(.start(transfer))
    }

    /// Ends a transfer whose context has ended already.
    func cancel(_ transfer: CurlTransfer) {
        _ = add(.cancel(transfer))
    }

    /// Goes on with a transfer that paused because one of its bodies was not read or had nothing to read.
    func resume(_ transfer: CurlTransfer) {
        _ = add(.resume(transfer))
    }

    /// Starts a transfer whose files are ready, or fails it. Called on a file's queue.
    func fileReady(_ transfer: CurlTransfer, _ result: Result<PartialFile?, BodyFailure>) {
        if !add(.fileReady(transfer, result)), case .success(let file?) = result { file.letGo() }
    }

    /// Settles a transfer whose file has come to its end, on the loop's thread if there still is one.
    func endFile(of transfer: CurlTransfer, _ result: Result<HttpResponse, TransportError>) {
        if !add(.fileEnded(transfer, result)) { transfer.tell(result) }
    }

    /// Runs a piece of a task on the loop's thread; false when the thread has ended.
    func run(_ job: UnownedJob) -> Bool {
        add(.run(job))
    }

    /// Lets what is under way come to its end, and ends then.
    func finish() {
        end(.finishing)
    }

    /// Fails what is under way and ends.
    func close() {
        end(.closing)
    }

    /// Whether the thread has ended, or is of no use here.
    var hasEnded: Bool {
        isInherited || shared.withLock { $0.life == .ended }
    }

    /// Whether this is a child of the process that has the thread. Nothing may be locked there: a thread that is gone
    /// can hold the lock.
    var isInherited: Bool { forksAtStart != Forks.count }

    // MARK: The thread's side

    /// Swaps the commands that have come with `commands`, which are empty.
    func take(_ commands: inout [Command]) -> Life {
        shared.withLock { shared in
            shared.isSleeping = false
            swap(&shared.commands, &commands)
            return shared.life
        }
    }

    /// Whether no commands have come.
    var isQuiet: Bool {
        shared.withLock { $0.commands.isEmpty }
    }

    /// Whether there is nothing to do but to wait; who has something wakes the thread from now on.
    ///
    /// - Parameter hasTransfers: whether a loop that nobody can submit to any more has something to wait for.
    func maySleep(hasTransfers: Bool) -> Bool {
        shared.withLock { shared in
            // An end that was asked for while this thread was busy did not wake it.
            let hasWork = shared.life == .open || shared.life == .finishing && hasTransfers
            shared.isSleeping = shared.commands.isEmpty && hasWork
            return shared.isSleeping
        }
    }

    /// The thread ends. Gives the commands that it doesn't carry out.
    func leave() -> [Command] {
        shared.withLock { shared in
            defer { shared.commands = [] }
            shared.life = .ended
            return shared.commands
        }
    }

    // MARK: The others' side

    private func add(_ command: Command) -> Bool {
        guard !isInherited, !ProcessExit.isComing else { return false }
        let (isAccepted, wakes) = shared.withLock { shared -> (Bool, Bool) in
            switch (command, shared.life) {
            case (_, .open), (.cancel, .finishing), (.cancel, .closing), (.resume, .finishing),
                (.fileReady, .finishing), (.fileEnded, .finishing):
                break
            case (.run, .finishing), (.run, .closing): break
            default: return (false, false)
            }
            shared.commands.append(command)
            defer { shared.isSleeping = false }
            return (true, shared.isSleeping)
        }
        if wakes { multi.wakeUp() }
        return isAccepted
    }

    private func end(_ life: Life) {
        guard !isInherited else { return }
        let wakes = shared.withLock { shared in
            if shared.life == .open || shared.life == .finishing { shared.life = life }
            defer { shared.isSleeping = false }
            return shared.isSleeping
        }
        if wakes { multi.wakeUp() }
    }
}
#endif
