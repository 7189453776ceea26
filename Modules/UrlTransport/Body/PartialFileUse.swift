import Synchronization

/// A transfer's use of a file that is loaded in several attempts. May be used by any thread.
///
/// A cancel completes at once, while the disk may still keep the transfer from closing the file. A request for the same
/// file then waits instead of finding it locked: a download is paused by canceling it.
package final class PartialFileUse: Sendable, Equatable {
    /// By the path of the file. Users that have the file or wait for it are kept here.
    private static let accesses = Mutex<[String: PartialFileAccess<PartialFileUse>]>([:])

    private let path: String
    private let onAccess: @Sendable (_ use: PartialFileUse, _ isGranted: Bool) -> Void

    /// - Parameter onAccess: called at most once after ``ask()``, by any thread. Where access is granted, ``close()`` has
    ///   to follow.
    package init(
        at path: String, onAccess: @escaping @Sendable (_ use: PartialFileUse, _ isGranted: Bool) -> Void
    ) {
        self.path = path
        self.onAccess = onAccess
    }

    package static func == (left: PartialFileUse, right: PartialFileUse) -> Bool { left === right }

    /// Asks for the file. It is granted at once, when a canceled user has closed it, or not at all.
    package func ask() {
        report(change { $0.ask(self) })
    }

    /// Doesn't want the file any more. Without an effect before ``ask()``.
    package func leave() {
        change { $0.leave(self) }
    }

    /// Has closed the file, or could not open it.
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
