#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of its own that goes with the last reference.
final class TestFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netchain-tests-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// A place in the folder where nothing is yet.
    func place(_ name: String = "file.bin") -> URL {
        url.appending(path: name)
    }

    /// A file in the folder with this content.
    func file(_ name: String = "file.bin", _ content: some Sequence<UInt8>) throws -> URL {
        let file = place(name)
        try Data(content).write(to: file)
        return file
    }
}
