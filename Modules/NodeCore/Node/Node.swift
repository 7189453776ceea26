/// One step of a chain: takes a value, processes it or passes a changed value to the next node, and returns the result.
///
/// A complete node:
///
/// ```swift
/// final class TrimNode<Output: Sendable>: Node<String, Output>, @unchecked Sendable {
///     let next: Node<String, Output>
///
///     init(next: Node<String, Output>) { self.next = next }
///
///     override func execute(_ data: String) async throws -> Output {
///         try await next.execute(data.trimmed())
///     }
/// }
/// ```
///
/// A node overrides one of two functions, ``execute(_:)`` or, for work that is an ``Observer``, ``process(_:)``. Either
/// can be called, whichever it is.
///
/// One node serves any number of concurrent calls, so it stores only `let`; state that changes sits in a `Mutex`. That
/// is what `@unchecked Sendable` stands for, which subclasses restate.
open class Node<Input: Sendable, Output: Sendable>: AnyNode, @unchecked Sendable {  // immutable state
    /// Creates a node. Subclasses usually take the next node here.
    public override init() {}

    /// Processes `data` and returns the result. May be called from any task, any number of times at once.
    ///
    /// The chain runs in the current task: on the concurrent executor, or on the one that the task prefers, never on
    /// the caller's actor. Queues that the chain's ``ChainConfiguratorNode`` names are for callbacks.
    ///
    /// Canceling the task cancels the chain. Throws the chain's error, or `CancellationError` when it was canceled. A
    /// node that overrides neither function fails with ``ChainError/Code/notImplemented``.
    open func execute(_ data: Input) async throws -> Output {
        try Task.checkCancellation()
        return try await Processing.$caller.withValue(Processing.Caller(self)) { process(data) }.value
    }

    /// Processes `data` for a caller with callbacks. May be called from any thread, any number of times at once.
    ///
    /// The chain runs in a task that inherits the caller's task-local values and priority; a cancel of the observer
    /// cancels the task. ``ChainConfiguratorNode`` says where listeners are called.
    open func process(_ data: Input) -> Observer<Output> {
        let caller = Processing.caller
        if caller?.node === self { return .emit(error: ChainError.notImplemented(name)) }
        let places = caller == nil ? places : nil
        // The request is made now, not when its task begins.
        let result = Run.within(Run.current?.madeAt == nil ? .ofRequestMadeNow() : Run.current) {
            Observer(
                on: places?.executor,
                async: {
                    try Task.checkCancellation()
                    return try await self.execute(data)
                })
        }
        return places?.callbacks.map { result.dispatchOn($0) } ?? result
    }
}

/// The node whose default `execute(_:)` is calling `process(_:)`. It finds a node that overrides neither.
///
/// In the code that such a call starts, chains use no queues: a process without a main loop never runs what is on the
/// main queue.
private enum Processing {
    @TaskLocal static var caller: Caller?

    /// Doesn't keep the node alive: a task that the call starts may outlive it. An identifier would not do, because a new node
    /// may get the address of a released one.
    struct Caller: Sendable {
        private(set) weak var node: AnyNode?

        init(_ node: AnyNode) { self.node = node }
    }
}

/// The base class of the library's nodes, which are written with `execute`, and so are their subclasses.
open class AsyncNode<Input: Sendable, Output: Sendable>: Node<Input, Output>, @unchecked Sendable {  // immutable state
    /// Runs the chain for a caller with callbacks, in a task. A subclass overrides `execute(_:)`.
    public final override func process(_ data: Input) -> Observer<Output> {
        super.process(data)
    }
}

extension Node {
    /// Runs the chain as ``execute(_:)`` does, for a request that is made now and is no part of the current run.
    package func executeAsRequest(_ data: Input) async throws -> Output {
        guard Run.current != nil else { return try await execute(data) }
        return try await Run.$current.withValue(.ofNewRequest()) { try await execute(data) }
    }

    /// Runs the chain as ``process(_:)`` does, for a request that is made now and is no part of the current run.
    package func processAsRequest(_ data: Input) -> Observer<Output> {
        guard Run.current != nil else { return process(data) }
        return Run.within(.ofNewRequest()) { process(data) }
    }
}

extension Node where Input == Void {
    /// Runs the chain without input. May be called from any thread, any number of times at once.
    public func process() -> Observer<Output> {
        process(())
    }

    /// Runs the chain and returns its value, as `execute(_:)` does.
    public func execute() async throws -> Output {
        try await execute(())
    }
}
