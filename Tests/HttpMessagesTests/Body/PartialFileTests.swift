import Dispatch
import TestSupport
import Testing

@testable import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PartialFileTests {
    /// Another file may have its descriptor.
    @Test func aClosedFileHasNoDescriptor() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("partial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try #require(URL(string: "http://a.example/file"))
        let file = try PartialFile(
            of: folder.appendingPathComponent("file"), request: url, queue: DispatchQueue(label: "partial-file")
        ) {}
        _ = try file.descriptor()
        file.release()
        let failure = thrown(BodyFailure.self) { try file.descriptor() }
        #expect(failure?.description.hasSuffix("file.partial is closed.") == true)
    }
}
