#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of its own that goes with the last reference.
final class TestFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netchain-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// A file in the folder with this content.
    func file(_ name: String = "file.bin", _ content: some Sequence<UInt8>) throws -> URL {
        let file = url.appending(path: name)
        try Data(content).write(to: file)
        return file
    }
}
