public import NodeCore

/// Starts a chain that needs no input and gives a model. (As in CoreNetKit.)
open class VoidInputNode<Output: DTODecodable>: Node<Void, Output>, @unchecked Sendable
where Output.DTO.Raw == Json {  // immutable state
    /// The node that gets parameters that say nothing.
    public let next: Node<Json, Json>

    /// Makes the node.
    public init(next: Node<Json, Json>) {
        self.next = next
    }

    open override func process(_ data: Void) -> Observer<Output> {
        let node: any AnyNode = self  // as such it has no generic type to be looked up
        return next.process(.noParameters).map { try node.model(from: $0) }
    }
}

/// Starts a chain that takes a model and gives nothing back: the server responds with an empty body, or with one that is
/// not used. (As in CoreNetKit.)
open class VoidOutputNode<Input: DTOEncodable>: Node<Input, Void>, @unchecked Sendable {  // immutable state
    /// The node that gets the raw form of the input.
    public let next: Node<Input.DTO.Raw, Json>

    /// Makes the node.
    public init(next: Node<Input.DTO.Raw, Json>) {
        self.next = next
    }

    open override func process(_ data: Input) -> Observer<Void> {
        do {
            return next.process(try data.toDTO().toRaw()).map { _ in }
        } catch {
            return .emit(error: noted(error))
        }
    }
}

/// Starts a chain that neither takes nor gives anything. (As in CoreNetKit.)
open class VoidIONode: Node<Void, Void>, @unchecked Sendable {  // immutable state
    /// The node that gets parameters that say nothing.
    public let next: Node<Json, Json>

    /// Makes the node.
    public init(next: Node<Json, Json>) {
        self.next = next
    }

    open override func process(_ data: Void) -> Observer<Void> {
        next.process(.noParameters).map { _ in }
    }
}

/// What goes down the chain of a request that has no parameters: no body is sent, where an empty object would be one.
package struct NoParameters: Sendable {}

extension Json {
    /// Parameters that say nothing.
    package static let noParameters = Json(carrying: NoParameters())
}
