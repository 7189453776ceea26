public import Dispatch

/// Where a part of a chain runs or its answer arrives.
public struct ExecutionPlace: Sendable {
    let queue: DispatchQueue?

    /// Where the call or the answer happens to be: no hop.
    public static let inPlace = ExecutionPlace(queue: nil)

    /// On `queue`.
    public static func dispatch(on queue: DispatchQueue) -> ExecutionPlace {
        ExecutionPlace(queue: queue)
    }
}
