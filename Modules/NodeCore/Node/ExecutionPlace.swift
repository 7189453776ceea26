public import Dispatch

/// Where a part of a chain runs, or where its listeners are called.
public struct ExecutionPlace: Sendable {
    enum Place: Sendable {
        case inPlace
        case task
        case queue(DispatchQueue)
    }

    let place: Place

    /// On the thread of the call or of the result: no task and no change of threads.
    public static let inPlace = ExecutionPlace(place: .inPlace)

    /// In a task on the concurrent executor.
    public static let concurrent = ExecutionPlace(place: .task)

    /// On `queue`.
    public static func dispatch(on queue: DispatchQueue) -> ExecutionPlace {
        ExecutionPlace(place: .queue(queue))
    }

    var queue: DispatchQueue? {
        if case .queue(let queue) = place { queue } else { nil }
    }
}
