import NetChainKit
import Synchronization

/// The ends that an observer told its listeners, in order.
final class Ends: Sendable {
    private let told = Mutex<[String]>([])
    private let done = Context<Void>()

    init<Value>(_ observer: Observer<Value>) {
        observer.onCompleted { _ in self.note("completed") }
            .onError { _ in self.note("failed") }
            .onCanceled { self.note("canceled") }
            .defer {
                self.note("defer")
                self.done.emit()
            }
    }

    private func note(_ end: String) {
        told.withLock { $0.append(end) }
    }

    var all: [String] { told.withLock { $0 } }

    /// Waits for the last listener.
    func wait() async throws {
        try await done.observer.value
    }
}

/// Opens once; who waits before gets through then, or is thrown out by a cancel.
struct Gate: Sendable {
    private let context = Context<Void>()

    func open() {
        context.emit()
    }

    func wait() async throws {
        try await context.observer.multicast().value
    }
}

/// A number that several threads count up.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    @discardableResult
    func add() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
