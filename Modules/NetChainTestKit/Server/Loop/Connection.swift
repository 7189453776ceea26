/// What the loop's thread knows of one connection.
final class Connection {
    enum Phase {
        /// A request is waited for or read.
        case receiving
        /// A request is being answered; what the client sends meanwhile waits.
        case answering(exchange: Int)
        /// The answer that is being sent is the connection's last.
        case ending
        /// FIN was sent; what the client still sends is thrown away until it closes too.
        case draining
    }

    let id: Int
    let descriptor: Int32
    var parser: RequestParser
    var phase = Phase.receiving
    var isOpen = true
    /// What is still to be done, first the piece that is at work.
    private(set) var output: [WirePiece] = []
    private var outputStart = 0
    /// How much of the first piece is done.
    var offset = 0
    var pace: (step: Int, interval: Duration) = (0, .zero)
    /// Nothing is sent before that time.
    var wakeAt: ContinuousClock.Instant?
    var wantsToWrite = false
    var rule: LoopbackUploadRule?
    var isReadingStopped = false
    /// What the poller watches.
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

    /// Whether the loop should read: not when a test stopped it, and not far ahead of an answer.
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

    /// The waiters that still hope to hear of what was enqueued.
    var waitersInOutput: [Int] {
        output[outputStart...].compactMap { if case .notify(let waiter) = $0 { waiter } else { nil } }
    }
}
