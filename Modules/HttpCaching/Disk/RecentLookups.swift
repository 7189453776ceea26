import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The small files that the last lookups have found, with their bodies.
///
/// Another lookup compares the status of the files instead of reading them on a queue, which takes longer than all else
/// of a hit. The kernel has the status of a recently used file in memory, so that no thread waits for the disk.
final class RecentLookups: Sendable {
    private struct Lookup: Sendable {
        let keys: [HttpCacheKey]
        let files: [EntryFile]
        /// The names of the keys that may have changed, with the status of those that are files.
        let names: [(name: String, status: FileStatus?)]

        init(_ keys: [HttpCacheKey], _ files: [EntryFile]) {
            self.keys = keys
            self.files = files
            let all = keys.flatMap { key in
                let all = EntryName.all(of: key)
                // Without the first one there are no others.
                return files.contains { $0.entry.key == key } ? all[...] : all.prefix(1)
            }
            names = all.map { name in (name, files.first { $0.name == name }?.status) }
        }
    }

    /// The highest number of lookups. The oldest is dropped then.
    private static let mostLookups = 16
    /// The highest number of files of a lookup, of 72 KiB each.
    private static let mostFiles = 2

    private let lookups = Mutex<[Lookup]>([])

    /// Keeps the files of a lookup, if all of them are in memory.
    func add(_ files: [EntryFile], for keys: [HttpCacheKey]) {
        guard !files.isEmpty, files.count <= Self.mostFiles, files.allSatisfy(\.hasReadBody) else { return }
        let lookup = Lookup(keys, files)
        lookups.taking { lookups in
            let old = lookups.firstIndex { $0.keys == keys } ?? (lookups.count < Self.mostLookups ? nil : 0)
            lookups.append(lookup)
            return old.map { lookups.remove(at: $0) }
        }
    }

    /// The files of a lookup of these keys; nil where it isn't kept, or a file of the keys was changed, stored or removed.
    func files(for keys: [HttpCacheKey]) -> [EntryFile]? {
        guard let lookup = lookups.withLock({ lookups in lookups.last { $0.keys == keys } }),
            let folder = lookup.files.first?.folder,
            lookup.names.allSatisfy({ folder.status(of: $0.name) == $0.status })
        else { return nil }
        return lookup.files
    }

    /// The file of an entry; nil where it isn't kept, or was changed or removed.
    func file(of id: UUID) -> EntryFile? {
        let file = lookups.withLock { lookups in
            lookups.lazy.flatMap(\.files).last { $0.entry.id == id }
        }
        return file.flatMap { $0.folder.status(of: $0.name) == $0.status ? $0 : nil }
    }

    /// Drops the lookups of a URL whose entries this store has changed. The time of a file's last change is coarse.
    func remove(url: String) {
        lookups.taking { lookups in
            let (old, isOfUrl) = (lookups, { (lookup: Lookup) in lookup.keys.contains { $0.url == url } })
            lookups.removeAll(where: isOfUrl)
            return old
        }
    }

    func removeAll() {
        lookups.taking { lookups in
            defer { lookups = [] }
            return lookups
        }
    }
}
