#if os(Linux)
import Glibc
import Synchronization
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a body's file is written through.
@Suite(.timeLimit(.minutes(1)))
struct FileOutputTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.url.appending(path: "file").path
    }

    @Test func batchesAreWrittenInTheirOrderAndTheRestBehindThem() async throws {
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let (rooms, room) = AsyncStream.makeStream(of: Void.self)
        let output = FileOutput(descriptor, path: path) { room.yield() }
        var iterator = rooms.makeAsyncIterator()
        for number in 0..<200 {
            var batch = [UInt8](repeating: UInt8(number), count: 10_000 + number)
            while try !output.take(&batch) { await iterator.next() }
            #expect(batch.isEmpty)
        }
        try output.finish([1, 2, 3])
        var wanted = (0..<200).flatMap { [UInt8](repeating: UInt8($0), count: 10_000 + $0) }
        wanted += [1, 2, 3]
        #expect(try Data(contentsOf: folder.url.appending(path: "file")) == Data(wanted))
        #expect(output.takeWritten() == wanted.count)
        #expect(output.takeWritten() == 0)
    }

    @Test func onlySoMuchWaitsToBeWritten() async throws {
        try #require(mkfifo(path, 0o600) == 0)
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        let (rooms, room) = AsyncStream.makeStream(of: Void.self)
        let output = FileOutput(descriptor, path: path) { room.yield() }
        var taken = 0
        var batch = [UInt8](repeating: 7, count: FileOutput.batch)
        while try output.take(&batch) {
            taken += 1
            batch = [UInt8](repeating: 7, count: FileOutput.batch)
        }
        // One may be on its way into the pipe.
        #expect(taken == 2 || taken == 3)
        var sum = 0
        var piece = [UInt8](repeating: 0, count: 65_536)
        while sum < taken * FileOutput.batch { sum += read(descriptor, &piece, piece.count) }
        for await _ in rooms { break }
        #expect(try output.take(&batch))
        sum = 0
        while sum < FileOutput.batch { sum += read(descriptor, &piece, piece.count) }
        try output.finish([])
    }

    @Test func aFullDiskIsToldWithTheNextBatchOrTheEnd() async throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let output = FileOutput(descriptor, path: "/somewhere/file") {}
        var batch = [UInt8](repeating: 7, count: 100)
        #expect(try output.take(&batch))
        let wanted = "/somewhere/file can't be written: No space left on device."
        let error = #expect(throws: FileWriter.Failure.self) { try output.finish([1]) }
        #expect(error?.description == wanted)
        batch = [1]
        let second = #expect(throws: FileWriter.Failure.self) { _ = try output.take(&batch) }
        #expect(second?.description == wanted)
        #expect(output.takeWritten() == 0)
    }
}
#endif
