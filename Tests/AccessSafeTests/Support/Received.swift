import Synchronization

/// Bodies that arrived.
final class Received: Sendable {
    private let bodies = Mutex<[[UInt8]]>([])

    var all: [[UInt8]] { bodies.withLock { $0 } }

    func add(_ body: [UInt8]) { bodies.withLock { $0.append(body) } }
}
