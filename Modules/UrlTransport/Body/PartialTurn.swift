import Dispatch
import Synchronization

/// A transfer's place in the line at a file that is loaded in several attempts.
///
/// A cancel is told at once, while the disk may still keep the transfer from letting go of the file. Who asks for the
/// same file then waits instead of finding it locked: cancelling is how to pause. The turn ends with its last reference.
package final class PartialTurn: Sendable {
    /// The last one at each file that was cancelled and has not ended.
    private static let leaving = Mutex<[String: PartialTurn.End]>([:])

    private final class End: Sendable {
        let group = DispatchGroup()
    }

    private let path: String
    private let end = End()

    package init(at path: String) {
        self.path = path
        end.group.enter()
    }

    deinit {
        Self.leaving.withLock { leaving in
            if leaving[path] === end { leaving[path] = nil }
        }
        end.group.leave()
    }

    /// From now on others wait for the end of this turn.
    package func cancel() {
        Self.leaving.withLock { $0[path] = end }
    }

    /// Calls `start` when nobody who was cancelled holds the file any more: at once, as a rule.
    package static func wait(at path: String, _ start: @escaping @Sendable () -> Void) {
        guard let last = leaving.withLock({ $0[path] }) else { return start() }
        last.group.notify(queue: .global(), execute: start)
    }
}
