import NodeCore

extension Observer {
    /// The end of the work, whichever it is.
    func end() async -> Outcome<Value> {
        await withCheckedContinuation { continuation in
            onSettled { continuation.resume(returning: $0) }
        }
    }
}
