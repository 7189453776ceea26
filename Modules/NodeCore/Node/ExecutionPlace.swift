public import Dispatch

/// Where a part of a chain runs or its answer arrives.
public struct ExecutionPlace: Sendable {
    enum Place: Sendable {
        case inPlace
        case task
        case queue(DispatchQueue)
    }

    let place: Place

    /// Where the call or the answer happens to be: no task and no change of threads.
    public static let inPlace = ExecutionPlace(place: .inPlace)

    /// In a task on the concurrent executor.
    public static let concurrent = ExecutionPlace(place: .task)

    /// On `queue`.
    public static func dispatch(on queue: DispatchQueue) -> ExecutionPlace {
        ExecutionPlace(place: .queue(queue))
    }

    /// The queue, if it is one.
    var queue: DispatchQueue? {
        if case .queue(let queue) = place { queue } else { nil }
    }
}
