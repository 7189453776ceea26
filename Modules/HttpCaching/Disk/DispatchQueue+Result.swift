import Dispatch

extension DispatchQueue {
    /// Calls `work` on this queue and returns its result. No thread of Swift's pool waits meanwhile.
    func result<Value: Sendable>(of work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
