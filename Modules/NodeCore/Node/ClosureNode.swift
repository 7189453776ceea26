/// A node that runs a closure, where a subclass would be too much.
///
/// ```swift
/// let double = ClosureNode<Int, Int> { .emit(data: $0 * 2) }
/// let user = ClosureNode<Int, User>(async: { id in try await store.user(id) })
/// ```
///
/// The closure is called on the thread of the `process` call, also several times at once.
public final class ClosureNode<Input: Sendable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    private let body: @Sendable (Input) -> Observer<Output>
    private let givenName: String?

    /// Creates a node that returns the observer that `body` returns.
    ///
    /// - Parameters:
    ///   - name: what the node is called in descriptions and logs, `ClosureNode` without it.
    ///   - body: the work.
    public init(name: String? = nil, _ body: @escaping @Sendable (Input) -> Observer<Output>) {
        givenName = name
        self.body = body
    }

    /// Creates a node whose result is what `body` returns or throws. Each call runs in a separate task, which a cancel
    /// of the observer cancels.
    public convenience init(name: String? = nil, async body: @escaping @Sendable (Input) async throws -> Output) {
        self.init(name: name) { data in Observer(async: { try await body(data) }) }
    }

    public override func process(_ data: Input) -> Observer<Output> {
        body(data)
    }

    public override var name: String {
        givenName ?? typeName
    }
}
