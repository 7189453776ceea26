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
    public init() {}

    /// Processes `data`. May be called from any thread, any number of times at once.
    ///
    /// A node that doesn't override this fails its observer with ``NodeError/Code/notImplemented``.
    open func process(_ data: Input) -> Observer<Output> {
        .emit(error: NodeError.notImplemented(name))
    }

    /// What this node is called in descriptions and logs: its type's name without the generic arguments.
    open var name: String {
        typeName
    }

    /// The nodes that this one calls: first the next of the chain, then those of side chains.
    ///
    /// They are found among the stored properties, in the order of declaration, a superclass's before its subclass's. A
    /// node has to override this only where it keeps its nodes elsewhere, or several in a collection.
    open var nextNodes: [any AnyNode] {
        sequence(first: Mirror(reflecting: self), next: \.superclassMirror).reversed().flatMap { level in
            level.children.compactMap { $0.value as? any AnyNode }
        }
    }
}

extension AnyNode {
    /// The type's name without its module and generic arguments.
    var typeName: String {
        String(_typeName(type(of: self), qualified: false).prefix { $0 != "<" })
    }
}
