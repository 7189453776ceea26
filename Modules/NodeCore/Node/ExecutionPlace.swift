public import Dispatch

/// Where the nodes of a chain with callbacks run, or where its listeners are called.
///
/// | | nodes | listeners |
/// |---|---|---|
/// | ``concurrent``, ``inPlace`` | a task on the concurrent executor | where the nodes ran |
/// | ``dispatch(on:)`` | a task on the queue | the queue |
public struct ExecutionPlace: Sendable {
    let queue: DispatchQueue?

    /// For listeners: on the thread where the nodes ran, without a change of threads. For nodes: as ``concurrent``.
    public static let inPlace = ExecutionPlace(queue: nil)

    /// For nodes: in a task on the concurrent executor. For listeners: as ``inPlace``.
    public static let concurrent = ExecutionPlace(queue: nil)

    /// On `queue`.
    public static func dispatch(on queue: DispatchQueue) -> ExecutionPlace {
        ExecutionPlace(queue: queue)
    }
}
