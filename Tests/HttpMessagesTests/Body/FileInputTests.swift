#if os(Linux)
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

/// What a body with files is read through.
@Suite(.timeLimit(.minutes(1)))
struct FileInputTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// Reads up to `count` bytes, waiting for them as a sender does.
    private func read(_ input: FileInput, most count: Int) async throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let (readies, ready) = AsyncStream.makeStream(of: Void.self)
            let reading = try bytes.withUnsafeMutableBytes { buffer in
                try input.read(into: buffer, onReady: { ready.yield() })
            }
            switch reading {
            case .bytes(let count): return Array(bytes[..<count])
            case .end: return []
            case .wait: for await _ in readies { break }
            }
        }
    }

    private func rest(_ input: FileInput, by count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while case let next = try await read(input, most: count), !next.isEmpty { bytes += next }
        return bytes
    }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> RequestBody.Segment {
        .file(try folder.file(name, bytes), size: Int64(bytes.count))
    }

    @Test func segmentsAreReadOneAfterTheOtherFromAnyOffset() async throws {
        var random = SeededRandom(seed: 4)
        for round in 0..<30 {
            var segments: [RequestBody.Segment] = []
            var whole: [UInt8] = []
            for index in 0..<Int.random(in: 1...6, using: &random) {
                let size =
                    [0, 1, 1000, FileInput.batch, FileInput.batch + 1, 600_000].randomElement(using: &random) ?? 0
                let bytes = pattern(size).map { $0 &+ UInt8(index) }
                let slice = { [folder] in
                    let around = try folder.file("\(round)-\(index)-part", [1, 2, 3] + bytes + [4, 5])
                    return RequestBody.Segment.file(
                        .init(url: around, fileSize: Int64(size) + 5, range: 3..<Int64(size) + 3))
                }
                let segment: RequestBody.Segment =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: .data(Data(bytes))
                    case 1: try file("\(round)-\(index)", bytes)
                    default: try slice()
                    }
                segments.append(segment)
                whole += bytes
            }
            let offset = Int.random(in: 0...whole.count, using: &random)
            let input = FileInput(segments, from: Int64(offset))
            let count = [1000, 65_536, 1_000_000].randomElement(using: &random) ?? 0
            #expect(try await rest(input, by: count) == Array(whole[offset...]), "round \(round), from \(offset)")
        }
    }

    @Test func whatIsWrongWithTheFirstFileIsToldBeforeAnythingIsRead() async throws {
        let gone = RequestBody.Segment.file(folder.place("gone"), size: 3)
        let input = FileInput([gone])
        let message = await withCheckedContinuation { continuation in
            input.begin { continuation.resume(returning: $0?.message) }
        }
        #expect(message == "\(folder.place("gone").path) can't be opened: No such file or directory.")
    }

    @Test func anEmptyFileAtTheEndIsLookedAtWithTheLastBytes() async throws {
        let input = FileInput([try file("a", [1, 2]), .file(try folder.file("b", [3]), size: 0)])
        let error = await thrown(BodyFailure.self) { try await rest(input, by: 10) }
        #expect(error?.message == "\(folder.place("b").path) changed its size, 1 bytes now, 0 before.")
    }

    /// A large file is not read into memory ahead of a slow reader.
    @Test func noMoreThanAFewPiecesAreReadAhead() async throws {
        let size = 8 * FileInput.batch
        let input = FileInput([try file("large", pattern(size))])
        #expect(try await read(input, most: 1) == Array(pattern(1)))
        let kept = (FileInput.mostAhead + 1) * FileInput.batch
        truncate(folder.place("large").path, kept)
        let error = await thrown(BodyFailure.self) { try await rest(input, by: size) }
        #expect(error?.message == "\(folder.place("large").path) became shorter while it was sent.")
    }

    @Test func aFileIsClosedAfterItsReaderIsLetGoOf() async throws {
        let path = folder.place("open").path
        @Sendable func isOpen() throws -> Bool {
            let targets = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            return targets.contains(path)
        }
        var input: FileInput? = FileInput([try file("open", pattern(3_000_000))])
        if let input { _ = try await read(input, most: 1) }
        #expect(try isOpen())
        input = nil
        try await eventually("the file is closed") { try !isOpen() }
    }
}
#endif
