import Dispatch

/// Where `process` of a chain runs it.
package final class ExecutionPlaces: Sendable {
    /// Where the nodes run; nil for the concurrent executor.
    let executor: (any TaskExecutor)?
    /// Where listeners are called; nil for where the nodes ran.
    let callbacks: DispatchQueue?

    init(executor: (any TaskExecutor)?, callbacks: DispatchQueue?) {
        self.executor = executor
        self.callbacks = callbacks
    }
}

/// The base class of all nodes, whatever their input and output: a name and the nodes downstream.
open class AnyNode: @unchecked Sendable {  // immutable state
    /// Where `process` runs the chain that starts here. nil: in a task, and listeners where it ends.
    ///
    /// Only initializers set it. It is no parameter of one: with a second designated initializer here, each subclass would
    /// have to call `super.init()`.
    package final var places: ExecutionPlaces?

    init() {}

    /// What this node is called in descriptions and logs: its type's name without the generic arguments.
    open var name: String {
        typeName
    }

    /// The nodes that this one calls: first the next of the chain, then those of side chains.
    ///
    /// They are found among the stored properties, in the order of declaration, a superclass's before its subclass's. A
    /// node has to override this only where it keeps its nodes elsewhere, or several in a collection.
    open var nextNodes: [AnyNode] {
        sequence(first: Mirror(reflecting: self), next: \.superclassMirror).reversed().flatMap { level in
            level.children.compactMap { $0.value as? AnyNode }
        }
    }

    /// The chain that starts here, in the order in which a request passes its nodes.
    public final var chain: ChainDescription {
        ChainDescription(of: self)
    }

    /// The type's name without its module and generic arguments.
    final var typeName: String {
        String(_typeName(type(of: self), qualified: false).prefix { $0 != "<" })
    }
}
