#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A dedicated temporary folder, which is removed when the object is deallocated.
package final class TestFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netchain-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The URL of a file in the folder, which is not created.
    package func place(_ name: String = "file.bin") -> URL {
        url.appending(path: name)
    }

    /// Creates a file in the folder with this content.
    package func file(_ name: String = "file.bin", _ content: some Sequence<UInt8>) throws -> URL {
        let file = place(name)
        try Data(content).write(to: file)
        return file
    }
}
