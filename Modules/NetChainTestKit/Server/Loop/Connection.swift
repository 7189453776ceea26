/// The state of one connection. Only the loop's thread uses it.
final class Connection {
    enum Phase {
        /// Waits for a request, or reads one.
        case receiving
        /// Responds to a request. Bytes that the client sends meanwhile are buffered.
        case answering(exchange: Int)
        /// Sends the connection's last response.
        case ending
        /// FIN was sent. Bytes that the client still sends are discarded until it closes too.
        case draining
    }

    let id: Int
    let descriptor: Int32
    var parser: RequestParser
    var phase = Phase.receiving
    var isOpen = true
    /// The pending pieces; the first is in progress.
    private(set) var output: [WirePiece] = []
    private var outputStart = 0
    /// The number of bytes of the first piece that were sent.
    var offset = 0
    var pace: (step: Int, interval: Duration) = (0, .zero)
    /// Nothing is sent before that time.
    var wakeAt: ContinuousClock.Instant?
    var wantsToWrite = false
    var rule: LoopbackUploadRule?
    var isReadingStopped = false
    /// The events that the poller watches.
    var registered = (reads: true, writes: false)

    init(id: Int, descriptor: Int32, remotePort: Int) {
        self.id = id
        self.descriptor = descriptor
        parser = RequestParser(connectionID: id, remotePort: remotePort)
    }

    var isReceiving: Bool {
        if case .receiving = phase { true } else { false }
    }

    var isDraining: Bool {
        if case .draining = phase { true } else { false }
    }

    /// Whether the connection only waits for its next request.
    var isIdle: Bool {
        isReceiving && parser.current == nil && parser.waiting == 0 && firstPiece == nil
    }

    /// Whether the loop should read. It doesn't while an upload rule stopped it, or with 1 MiB buffered during a
    /// response.
    var wantsToRead: Bool {
        !isReadingStopped && (isReceiving || parser.waiting < 1 << 20)
    }

    var firstPiece: WirePiece? {
        outputStart < output.count ? output[outputStart] : nil
    }

    func enqueue(_ pieces: [WirePiece]) {
        output += pieces
    }

    func dropFirstPiece() {
        outputStart += 1
        offset = 0
        if outputStart == output.count {
            output.removeAll(keepingCapacity: true)
            outputStart = 0
        }
    }

    /// The waiters to notify of pending pieces.
    var waitersInOutput: [Int] {
        output[outputStart...].compactMap { if case .notify(let waiter) = $0 { waiter } else { nil } }
    }
}
