/// One step of a chain: takes a value, processes it or passes a changed value to the next node, and returns an observer
/// of the result.
///
/// A complete node:
///
/// ```swift
/// final class TrimNode<Output: Sendable>: Node<String, Output>, @unchecked Sendable {
///     let next: Node<String, Output>
///
///     init(next: Node<String, Output>) { self.next = next }
///
///     override func process(_ data: String) -> Observer<Output> {
///         next.process(data.trimmed())
///     }
/// }
/// ```
///
/// One node serves any number of concurrent `process` calls, so it stores only `let`; state that changes sits in a
/// `Mutex`. That is what `@unchecked Sendable` stands for, which subclasses restate.
open class Node<Input: Sendable, Output: Sendable>: AnyNode, @unchecked Sendable {  // immutable state
    /// Creates a node. Subclasses usually take the next node here.
    public override init() {}

    /// Processes `data`. May be called from any thread, any number of times at once.
    ///
    /// A node that doesn't override this fails its observer with ``ChainError/Code/notImplemented``.
    open func process(_ data: Input) -> Observer<Output> {
        .emit(error: ChainError.notImplemented(name))
    }
}
