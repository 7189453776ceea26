/// The server's event loop, on a dedicated thread. It owns the sockets, reads requests and sends responses. Handlers
/// run on other threads and pass their responses as commands.
final class EventLoop {
    enum Due {
        case connection(Int)
        case waiter(Int)
        case listening
    }

    /// Tokens of the poller below the connections' numbers, which start at 1.
    private static let wakeToken = 0
    private static let listenerToken = -1

    let core: ServerCore
    var poller = Poller()
    var deadlines = DeadlineQueue<Due>()
    var connections: [Int: Connection] = [:]
    var traffic = Traffic()
    let scratch: UnsafeMutableRawBufferPointer
    private let listener: Listener
    private let wakePipe: WakePipe

    init(core: ServerCore, listener: Listener, wakePipe: WakePipe) {
        self.core = core
        self.listener = listener
        self.wakePipe = wakePipe
        scratch = .allocate(byteCount: 1 << 18, alignment: 16)
        poller.add(wakePipe.readEnd, token: Self.wakeToken, reads: true, writes: false)
        poller.add(listener.descriptor, token: Self.listenerToken, reads: true, writes: false)
    }

    deinit {
        scratch.deallocate()
    }

    /// Runs until the stop command, then closes all sockets.
    func run() {
        while perform(core.takeCommands()) {
            fireDeadlines()
            if !traffic.isEmpty { core.withState { $0.note(takeTraffic()) } }
            for ready in poller.wait(milliseconds: untilNextDeadline()) {
                switch ready.token {
                case Self.wakeToken: wakePipe.drain()
                case Self.listenerToken: acceptAll()
                default: connectionIsReady(ready)
                }
            }
        }
        for connection in connections.values { close(connection) }
        listener.close()
        wakePipe.close()
    }

    /// The bytes that were transferred since the last call, for the counts.
    func takeTraffic() -> Traffic {
        defer { traffic = Traffic() }
        return traffic
    }

    private func connectionIsReady(_ ready: Readiness) {
        guard let connection = connections[ready.token] else { return }
        if connection.registered.reads, ready.isReadable || ready.isEnded {
            read(connection)
        } else if ready.isEnded {
            close(connection)
        }
        if ready.isWritable, connection.isOpen { advance(connection) }
    }

    private func acceptAll() {
        while true {
            switch Sockets.accept(listener.descriptor) {
            case .connection(let descriptor, let remotePort):
                let (id, pieces) = core.connectionAccepted()
                let connection = Connection(id: id, descriptor: descriptor, remotePort: remotePort)
                connections[id] = connection
                poller.add(descriptor, token: id, reads: true, writes: false)
                connection.enqueue(pieces)
                advance(connection)
            case .none:
                return
            case .exhausted:
                // The listener would stay ready and the thread would spin, so the loop accepts again after 50 ms.
                poller.remove(listener.descriptor)
                deadlines.insert(.listening, at: .now + .milliseconds(50))
                return
            }
        }
    }

    // MARK: Commands and deadlines

    /// Performs the commands; false after the stop command.
    private func perform(_ commands: [LoopCommand]) -> Bool {
        for command in commands {
            switch command {
            case .enqueue(let id, let pieces):
                enqueue(pieces, on: id)
            case .deadline(let waiter, let time):
                deadlines.insert(.waiter(waiter), at: time)
            case .closeIdle(let resetting, let waiter):
                for connection in connections.values where connection.isIdle { close(connection, resetting: resetting) }
                core.finish(waiter: waiter, with: .success(nil))
            case .resumeReading:
                for connection in connections.values where connection.isReadingStopped {
                    connection.isReadingStopped = false
                    connection.rule?.cut = nil
                    connection.parser.bodyLimit = nil
                    advance(connection)
                }
            case .stop:
                return false
            }
        }
        return true
    }

    private func enqueue(_ pieces: [WirePiece], on id: Int) {
        if let connection = connections[id], !connection.isDraining {
            connection.enqueue(pieces)
            advance(connection)
        } else {
            for case .notify(let waiter) in pieces { core.connectionIsGone(waiter: waiter) }
        }
    }

    private func fireDeadlines() {
        guard deadlines.next != nil else { return }
        let now = ContinuousClock.now
        while let (time, due) = deadlines.popDue(now) {
            switch due {
            case .waiter(let waiter):
                core.expire(waiter: waiter)
            case .listening:
                poller.add(listener.descriptor, token: Self.listenerToken, reads: true, writes: false)
            case .connection(let id):
                guard let connection = connections[id], connection.wakeAt == time else { continue }
                connection.wakeAt = nil
                if connection.isDraining { close(connection) } else { advance(connection) }
            }
        }
    }

    private func untilNextDeadline() -> Int32 {
        guard let next = deadlines.next else { return -1 }
        let rest = ContinuousClock.now.duration(to: next)
        guard rest > .zero else { return 0 }
        // Rounded up, so that the deadline has passed when the wait is over.
        return Int32(min(60_000, rest / .milliseconds(1) + 1))
    }
}
