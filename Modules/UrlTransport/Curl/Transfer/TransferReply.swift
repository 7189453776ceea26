#if os(Linux)
import HttpMessages
import NodeCore
import Synchronization

/// The task that waits for a transfer. It is resumed once, from whatever thread settles.
final class TransferReply: Sendable {
    private struct State {
        var task: UnsafeContinuation<HttpResponse, any Error>?
        var isSettled = false
    }

    private let state = Mutex(State())
    let journal = Journal.current
    /// The task-local values for a body that is a stream.
    let values: CallersValues?

    init(values: CallersValues? = nil) {
        self.values = values
    }

    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Resumes the task. Only the first call has an effect.
    func settle(_ result: Result<HttpResponse, any Error>) {
        end().task?.resume(with: result)
    }

    /// Returns the task to resume, and whether this is the first end.
    private func end() -> (task: UnsafeContinuation<HttpResponse, any Error>?, isFirst: Bool) {
        state.withLock { state in
            defer { (state.task, state.isSettled) = (nil, true) }
            return (state.task, !state.isSettled)
        }
    }

    /// Suspends the current task, then calls `start`. A task that was canceled before starts nothing.
    func response(start: () -> Void, cancel: @escaping @Sendable () -> Void) async throws -> HttpResponse {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let mayStart = state.withLock { state in
                    if !state.isSettled { state.task = continuation }
                    return !state.isSettled
                }
                if mayStart { start() } else { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let (task, isFirst) = end()
            if isFirst { cancel() }
            // Last: an executor may run the task within this call, and the task releases what `cancel` uses.
            task?.resume(throwing: CancellationError())
        }
    }
}
#endif
