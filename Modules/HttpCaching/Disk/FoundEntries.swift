import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The small files that were found last, with their bodies: a hit looks for the entries and then reads a body, and
/// visits the disk once.
///
/// A removal by this store drops them. One by another process isn't seen between both steps.
final class FoundEntries: Sendable {
    /// The highest number of files. The oldest is dropped then.
    private static let most = 16

    private let files = Mutex<[EntryFile]>([])

    func add(_ file: EntryFile) {
        files.taking { files in
            files.append(file)
            return files.count > Self.most ? files.removeFirst() : nil
        }
    }

    /// Removes and returns the file of an entry.
    func take(_ id: UUID) -> EntryFile? {
        files.taking { files in
            files.lastIndex { $0.entry.id == id }.map { files.remove(at: $0) }
        }
    }

    func removeAll(where isRemoved: (UUID) -> Bool = { _ in true }) {
        files.taking { files in
            let removed = files.filter { isRemoved($0.entry.id) }
            files.removeAll { isRemoved($0.entry.id) }
            return removed
        }
    }
}
