public import NodeCore
import Synchronization

/// Can cancel all requests in flight that went through this node.
///
/// ```swift
/// let node = AborterNode(next: chain)
/// node.process(data)
/// node.abort()  // cancels the requests; a connection that other requests use stays open
/// ```
open class AborterNode<Input: Sendable, Output: Sendable>: AsyncNode<Input, Output>, @unchecked Sendable {
    // `@unchecked`: `running` is protected by its mutex, the rest is immutable.
    package let next: Node<Input, Output>
    private let running = Mutex(Running())

    private struct Running: Sendable {
        var lastId = 0
        /// The requests in flight; nil for one that is being started.
        var observers: [Int: Observer<Output>?] = [:]
    }

    /// Creates the node.
    public init(next: Node<Input, Output>) {
        self.next = next
    }

    /// Cancels all requests in flight, including those that another thread is starting. Later requests are not
    /// affected. May be called from any thread.
    public func abort() {
        let observers = running.taking { running in
            defer { running.observers = [:] }
            return running.observers
        }
        for observer in observers.sorted(by: { $0.key < $1.key }) { observer.value?.cancel() }
    }

    /// Runs a request in a task of its own, on the concurrent executor.
    ///
    /// It is registered before that, so that ``abort()`` finds it at any moment.
    open override func execute(_ data: Input) async throws -> Output {
        let id = running.withLock { running in
            running.lastId += 1
            running.observers.updateValue(nil, forKey: running.lastId)
            return running.lastId
        }
        let work = next.process(data)
        let isAborted = running.withLock { running in
            guard running.observers.index(forKey: id) != nil else { return true }
            running.observers.updateValue(work, forKey: id)
            return false
        }
        if isAborted { work.cancel() }
        defer { running.taking { $0.observers.removeValue(forKey: id) } }
        return try await work.value
    }
}
