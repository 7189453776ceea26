#if os(Linux)
import Glibc
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Watches a folder for files whose attributes change, a mode for instance.
final class AttributeChanges {
    private let descriptor: Int32

    init(in folder: URL) throws {
        descriptor = inotify_init1(Int32(IN_NONBLOCK))
        try #require(inotify_add_watch(descriptor, folder.path, UInt32(IN_ATTRIB)) >= 0)
    }

    deinit {
        close(descriptor)
    }

    /// The names of the files so far.
    var names: [String] {
        var events = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(descriptor, &events, events.count)
        var names: [String] = []
        var rest = events.prefix(max(count, 0))
        // struct inotify_event: four words, the last of them the length of the name.
        while rest.count >= 16 {
            let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            names.append(String(decoding: rest.dropFirst(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(16 + length)
        }
        return names
    }
}
#endif
