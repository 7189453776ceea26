/// A node that runs a closure, where a subclass would be too much.
///
/// ```swift
/// let user = ClosureNode<Int, User>(async: { id in try await store.user(id) })
/// let double = ClosureNode<Int, Int> { .emit(data: $0 * 2) }
/// ```
///
/// The closure may be called several times at once.
public final class ClosureNode<Input: Sendable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    private enum Body: Sendable {
        case observer(@Sendable (Input) -> Observer<Output>)
        case async(@Sendable (Input) async throws -> Output)
    }

    private let body: Body
    private let givenName: String?

    /// Creates a node that returns the observer that `body` returns.
    ///
    /// - Parameters:
    ///   - name: what the node is called in descriptions and logs, `ClosureNode` without it.
    ///   - body: the work.
    public init(name: String? = nil, _ body: @escaping @Sendable (Input) -> Observer<Output>) {
        givenName = name
        self.body = .observer(body)
    }

    /// Creates a node whose result is what `body` returns or throws.
    public init(name: String? = nil, async body: @escaping @Sendable (Input) async throws -> Output) {
        givenName = name
        self.body = .async(body)
    }

    public override func execute(_ data: Input) async throws -> Output {
        guard case .async(let body) = body else { return try await super.execute(data) }
        try Task.checkCancellation()
        return try await body(data)
    }

    public override func process(_ data: Input) -> Observer<Output> {
        guard case .observer(let body) = body else { return super.process(data) }
        return body(data)
    }

    public override var name: String {
        givenName ?? typeName
    }
}
