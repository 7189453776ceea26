/// Shows that requests are in progress: each from the call of this node until it is processed, failed or canceled.
///
/// Requests that run at the same time are counted: the indicator is hidden with the last of them.
open class LoadIndicatableNode<Input: Sendable, Output: Sendable>: AsyncNode<Input, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<Input, Output>
    private let activity: LoadActivity

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - activity: the counter and its indicator.
    public init(next: Node<Input, Output>, activity: LoadActivity = .shared) {
        self.next = next
        self.activity = activity
    }

    open override func execute(_ data: Input) async throws -> Output {
        activity.begin()
        defer { activity.end() }
        return try await next.execute(data)
    }
}
