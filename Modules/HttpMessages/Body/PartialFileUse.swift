import Synchronization

/// A transfer's access to a file that is downloaded in several attempts. May be used from any thread.
///
/// A cancel completes at once, also while the disk delays closing the file. A new request for the same file then waits
/// for the lock instead of failing. Without that, pausing a download by a cancel and resuming it would fail.
package final class PartialFileUse: Sendable, Equatable {
    /// The accesses by path. The dictionary retains the users that have a file or wait for it.
    private static let accesses = Mutex<[String: PartialFileAccess<PartialFileUse>]>([:])

    private let path: String
    private let onAccess: @Sendable (_ use: PartialFileUse, _ isGranted: Bool) -> Void

    /// - Parameter onAccess: called at most once after ``ask()``, on any thread. Granted access must be followed by
    ///   ``close()``.
    package init(
        at path: String, onAccess: @escaping @Sendable (_ use: PartialFileUse, _ isGranted: Bool) -> Void
    ) {
        self.path = path
        self.onAccess = onAccess
    }

    package static func == (left: PartialFileUse, right: PartialFileUse) -> Bool { left === right }

    /// Requests the file. Access is granted at once or when a canceled user has closed the file, or it is rejected.
    package func ask() {
        report(change { $0.ask(self) })
    }

    /// Withdraws the request or announces a ``close()``. Has no effect before ``ask()``.
    package func leave() {
        change { $0.leave(self) }
    }

    /// Reports that the file was closed or could not be opened.
    package func close() {
        report(change { $0.close(self) })
    }

    private func change<Result: Sendable>(
        _ body: @Sendable (inout PartialFileAccess<PartialFileUse>) -> Result
    ) -> Result {
        Self.accesses.withLock { accesses in
            var access = accesses[path] ?? PartialFileAccess()
            defer { accesses[path] = access.isFree ? nil : access }
            return body(&access)
        }
    }

    private func report(_ action: PartialFileAccess<PartialFileUse>.Action?) {
        switch action {
        case .open(let use): use.onAccess(use, true)
        case .reject(let use): use.onAccess(use, false)
        case nil: break
        }
    }
}
