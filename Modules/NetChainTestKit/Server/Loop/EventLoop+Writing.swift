extension EventLoop {
    /// The number of bytes that one connection may send in an event-loop iteration. At the bound it continues in the
    /// next iteration, after the other connections.
    private static let turn = 1 << 20

    /// Processes the connection's pieces until it has to wait.
    func flush(_ connection: Connection) {
        var sent = 0
        connection.wantsToWrite = false
        while connection.isOpen, connection.wakeAt == nil, let piece = connection.firstPiece {
            guard sent < Self.turn else {
                connection.wantsToWrite = true
                return
            }
            switch piece {
            case .bytes(let bytes):
                sent += send(connection, bytes, at: connection.offset, rest: bytes.count - connection.offset)
            case .repeating(let block, let count):
                let rest = block.isEmpty ? 0 : (count ?? Int.max) - connection.offset
                let position = block.isEmpty ? 0 : connection.offset % block.count
                sent += send(connection, block, at: position, rest: rest)
            case .pace(let step, let interval):
                connection.dropFirstPiece()
                connection.pace = (step, interval)
            case .pause(let duration):
                connection.dropFirstPiece()
                sleep(connection, duration)
            case .finished(let exchange):
                connection.dropFirstPiece()
                connection.phase = .receiving
                core.withState { $0.end(exchange: exchange) }
            case .notify(let waiter):
                connection.dropFirstPiece()
                core.finish(waiter: waiter, with: .success(nil))
            case .close:
                finish(connection)
                return
            case .reset:
                close(connection, resetting: true)
            case .stall:
                return
            }
            if connection.wantsToWrite { return }
        }
    }

    func updateInterest(of connection: Connection) {
        guard connection.isOpen else { return }
        let wanted = (reads: connection.wantsToRead, writes: connection.wantsToWrite)
        guard wanted != connection.registered else { return }
        connection.registered = wanted
        poller.change(connection.descriptor, reads: wanted.reads, writes: wanted.writes)
    }

    /// Closes the connection, with FIN unless it is reset, and notifies its waiters.
    func close(_ connection: Connection, resetting: Bool = false) {
        guard connection.isOpen else { return }
        connection.isOpen = false
        connections[connection.id] = nil
        poller.remove(connection.descriptor)
        if resetting {
            Sockets.resetOnClose(connection.descriptor)
        } else {
            // A child process that has inherited the descriptor must not keep the connection open.
            Sockets.finishSending(connection.descriptor)
        }
        systemClose(connection.descriptor)
        var exchange: Int?
        if case .answering(let current) = connection.phase { exchange = current }
        let incomplete = connection.isReceiving ? connection.parser.current : nil
        core.connectionClosed(
            connection.id, exchange: exchange, incomplete: incomplete, waiters: connection.waitersInOutput,
            takeTraffic())
    }

    /// Closes the connection so that the client receives all that was sent.
    ///
    /// If the client still sends a body, an immediate `close(2)` would reset the connection, and the client would lose
    /// what it has not read. So FIN is sent, and the connection is closed when the client closes it, or after 5
    /// seconds.
    private func finish(_ connection: Connection) {
        guard connection.parser.current != nil else {
            while case .bytes(let count) = Sockets.receive(connection.descriptor, into: scratch) {
                traffic.received += count
            }
            close(connection)
            return
        }
        Sockets.finishSending(connection.descriptor)
        connection.phase = .draining
        sleep(connection, .seconds(5))
    }

    private func sleep(_ connection: Connection, _ duration: Duration) {
        let time = ContinuousClock.now + duration
        connection.wakeAt = time
        deadlines.insert(.connection(connection.id), at: time)
    }

    /// Sends `bytes` from `position` on, as far as the system, the pace and the end of `bytes` allow. Drops the piece
    /// after its last byte. Returns the number of bytes sent.
    private func send(_ connection: Connection, _ bytes: [UInt8], at position: Int, rest: Int) -> Int {
        guard rest > 0 else {
            connection.dropFirstPiece()
            return 0
        }
        var count = min(rest, bytes.count - position)
        if connection.pace.step > 0 { count = min(count, connection.pace.step) }
        let outcome = bytes.withUnsafeBytes {
            Sockets.send(connection.descriptor, UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)]))
        }
        switch outcome {
        case .bytes(let done):
            traffic.sent += done
            connection.offset += done
            if done == rest { connection.dropFirstPiece() }
            if connection.pace.step > 0 { sleep(connection, connection.pace.interval) }
            return done
        case .wouldBlock:
            connection.wantsToWrite = true
            return 0
        case .ended:
            close(connection)
            return 0
        }
    }
}
