import Dispatch

/// Runs removals of files, eight at a time.
///
/// A file system with a journal may wait for the disk at each removal of a file, without using the processor: 3000 files
/// took 9.9 s one after the other, and 0.7 s by eight threads (ext4 with `discard`).
enum Removers {
    private static let queues = (0..<8).map { DispatchQueue(label: "netchain.cache-remover-\($0)", qos: .utility) }

    /// Calls `remove` for all of them in any order, and waits.
    static func forEach(_ names: [String], _ remove: @escaping @Sendable (String) -> Void) {
        guard names.count > 1 else { return names.forEach(remove) }
        let group = DispatchGroup()
        for (index, queue) in queues.enumerated() where index < names.count {
            queue.async(group: group) {
                for place in stride(from: index, to: names.count, by: queues.count) { remove(names[place]) }
            }
        }
        group.wait()
    }
}
