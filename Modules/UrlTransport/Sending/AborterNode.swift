public import NodeCore
import Synchronization

/// Can abort what is in progress behind it: every request that went through this node and has not ended.
///
/// ```swift
/// let node = AborterNode(next: chain)
/// node.process(data)
/// node.abort()  // the requests end as canceled, their connections are closed
/// ```
open class AborterNode<Input: Sendable, Output: Sendable>: Node<Input, Output>, @unchecked Sendable {
    // `@unchecked`: `running` is protected by its mutex, the rest is let.
    /// The rest of the chain.
    public let next: Node<Input, Output>
    private let running = Mutex(Running())

    private struct Running: Sendable {
        var lastId = 0
        /// What is in progress; nil for a request that is just being started.
        var observers: [Int: Observer<Output>?] = [:]
    }

    /// Creates the node.
    public init(next: Node<Input, Output>) {
        self.next = next
    }

    /// Aborts all requests that are in progress, those included that another thread is just starting; requests that come
    /// later are not touched. May be called from any thread.
    public func abort() {
        let observers = running.withLock { running in
            defer { running.observers = [:] }
            return running.observers
        }
        for observer in observers.sorted(by: { $0.key < $1.key }) { observer.value?.cancel() }
    }

    /// Starts a request that is known before it is started, so that an abort meets it at any moment.
    open override func process(_ data: Input) -> Observer<Output> {
        let id = running.withLock { running in
            running.lastId += 1
            running.observers.updateValue(nil, forKey: running.lastId)
            return running.lastId
        }
        let observer = next.process(data)
        let isPending = observer.outcome == nil
        let isAborted = running.withLock { running in
            guard running.observers.removeValue(forKey: id) != nil else { return true }
            if isPending { running.observers.updateValue(observer, forKey: id) }
            return false
        }
        guard !isAborted else {
            observer.cancel()
            return observer.outcome?.isCanceled == true ? observer : Observer(.canceled)
        }
        guard isPending else { return observer }
        // Also where it has ended meanwhile: then this is called at once.
        return observer.defer { [weak self] in
            // The observer is released outside the lock.
            _ = self?.running.withLock { $0.observers.removeValue(forKey: id) }
        }
    }
}
