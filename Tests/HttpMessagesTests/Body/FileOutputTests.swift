#if os(Linux)
import Dispatch
import Glibc
import HttpMessages
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An open file, which counts its bytes. It is not closed.
private final class OpenFile: UnfinishedFile, @unchecked Sendable {  // mutable state is used on the queue, and after it
    let path: String
    let queue = DispatchQueue(label: "netchain.file")
    private let opened: Int32
    private(set) var size = 0

    init(_ opened: Int32, path: String) {
        self.opened = opened
        self.path = path
    }

    func descriptor() -> Int32 { opened }
    var isResumable: Bool { false }
    func checkSize() -> Int64? { nil }
    func grow(by count: Int) { size += count }
    func complete() {}
    func release() {}
}

/// What a body's file is written through.
@Suite(.timeLimit(.minutes(1)))
struct FileOutputTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.url.appending(path: "file").path
    }

    /// Ends the writing; what went wrong, if anything did.
    private func finish(_ output: FileOutput, _ rest: [UInt8]) async -> String? {
        var rest = rest
        return await withCheckedContinuation { continuation in
            output.finish(&rest) { continuation.resume(returning: $0?.description) }
        }
    }

    @Test func batchesAreWrittenInTheirOrderAndTheRestBehindThem() async throws {
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let (spaces, space) = AsyncStream.makeStream(of: Void.self)
        let file = OpenFile(descriptor, path: path)
        let output = FileOutput(file) { space.yield() }
        var iterator = spaces.makeAsyncIterator()
        for number in 0..<200 {
            var batch = [UInt8](repeating: UInt8(number), count: 10_000 + number)
            while try !output.hasSpace() { await iterator.next() }
            output.enqueue(&batch)
            #expect(batch.isEmpty)
        }
        #expect(await finish(output, [1, 2, 3]) == nil)
        var wanted = (0..<200).flatMap { [UInt8](repeating: UInt8($0), count: 10_000 + $0) }
        wanted += [1, 2, 3]
        #expect(try Data(contentsOf: folder.url.appending(path: "file")) == Data(wanted))
        #expect(file.size == wanted.count)
    }

    /// Enqueues batches until there is no space; how many.
    private func fill(_ output: FileOutput) throws -> Int {
        var count = 0
        while try output.hasSpace() {
            var batch = [UInt8](repeating: 7, count: FileOutput.batch)
            output.enqueue(&batch)
            count += 1
        }
        // One may be on its way into the pipe.
        #expect(FileOutput.mostWaiting...FileOutput.mostWaiting + 1 ~= count)
        return count
    }

    @Test func onlySoMuchWaitsToBeWrittenAndThereIsRoomWhenThatIsTold() async throws {
        let pipe = try NamedPipe(at: URL(filePath: path))
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        let (spaces, space) = AsyncStream.makeStream(of: Bool.self)
        let place = Mutex<FileOutput?>(nil)
        let file = OpenFile(descriptor, path: path)
        let output = FileOutput(file) {
            space.yield((try? place.withLock { $0 }?.hasSpace()) == true)
        }
        place.withLock { $0 = output }
        let expected = try fill(output) * FileOutput.batch
        #expect(await pipe.read(count: expected).count == expected)
        #expect(await spaces.first { _ in true } == true)
        #expect(await finish(output, []) == nil)
        #expect(file.size == expected)
        place.withLock { $0 = nil }
    }

    @Test func whatIsDroppedIsNotWritten() async throws {
        let pipe = try NamedPipe(at: URL(filePath: path))
        let descriptor = open(path, O_RDWR)
        let file = OpenFile(descriptor, path: path)
        let output = FileOutput(file) { Issue.record("space, which nobody asks for any more") }
        _ = try fill(output)
        output.drop()
        async let end = finish(output, [])
        async let read = pipe.read()
        #expect(await end == nil)
        close(descriptor)
        // The batch that was on its way, if it was.
        #expect([0, FileOutput.batch].contains(file.size))
        #expect(await read.count == file.size)
    }

    @Test func aFullDiskIsToldBeforeTheNextBatchOrAtTheEnd() async throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let file = OpenFile(descriptor, path: "/somewhere/file")
        let output = FileOutput(file) {}
        var batch = [UInt8](repeating: 7, count: 100)
        #expect(try output.hasSpace())
        output.enqueue(&batch)
        let wanted = "/somewhere/file can't be written: No space left on device."
        #expect(await finish(output, [1]) == wanted)
        let error = thrown(BodyFailure.self) { _ = try output.hasSpace() }
        #expect(error?.description == wanted)
        #expect(file.size == 0)
        let other = FileOutput(file) {}
        #expect(await finish(other, [1]) == wanted)
    }
}
#endif
