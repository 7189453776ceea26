import Logging
import NodeCore
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The stream of a request's body without a transfer.
@Suite(.timeLimit(.minutes(1)))
struct BodyStreamTests {
    /// Reads as a transfer does: a piece, or what there is in its place.
    private final class Reading {
        private let reader: BodyStream.Reader
        private var signals: AsyncStream<Void>.Iterator

        init(_ stream: BodyStream) throws {
            let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
            self.signals = signals.makeAsyncIterator()
            reader = try #require(stream.reader { continuation.yield() })
        }

        /// nil while there is nothing; no bytes at the end.
        func readNow(_ capacity: Int = 100) throws -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: capacity)
            switch try bytes.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
            case .bytes(let count): return Array(bytes[..<count])
            case .end: return []
            case .wait: return nil
            }
        }

        func read(_ capacity: Int = 100) async throws -> [UInt8] {
            while true {
                if let bytes = try readNow(capacity) { return bytes }
                _ = await signals.next()
            }
        }
    }

    private let pieces = Pieces(Data([1, 2, 3]), count: 2)

    @Test func nothingIsAskedForBeforeTheFirstRead() async throws {
        let reading = try Reading(BodyStream(pieces, length: nil))
        #expect(pieces.record.asked == 0)
        #expect(try reading.readNow() == nil)
        #expect(try await reading.read() == [1, 2, 3])
        #expect(pieces.record.asked == 1)
        #expect(try await reading.read() == [1, 2, 3])
        #expect(pieces.record.asked == 2)
        #expect(try await reading.read() == [])
        #expect(try await reading.read() == [])
    }

    @Test func aSmallBufferTakesAPieceInParts() async throws {
        let reading = try Reading(BodyStream(pieces, length: nil))
        #expect(try await reading.read(2) == [1, 2])
        #expect(try await reading.read(2) == [3])
        #expect(try await reading.read(2) == [1, 2])
    }

    @Test func withALengthTheLastPieceComesWithTheEnd() async throws {
        let reading = try Reading(BodyStream(pieces, length: 6))
        #expect(try await reading.read() == [1, 2, 3])
        #expect(try await reading.read() == [1, 2, 3])
        #expect(pieces.record.asked == 3)
        #expect(try await reading.read() == [])
    }

    @Test func itIsReadOnce() throws {
        let stream = BodyStream(pieces, length: nil)
        #expect(!stream.isUsed)
        #expect(stream.reader {} != nil)
        #expect(stream.isUsed)
        #expect(stream.reader {} == nil)
    }

    @Test func lettingGoCancelsTheSequence() async throws {
        let pieces = Pieces(Data([1]), count: 1, end: .nothing)
        let stream = BodyStream(pieces, length: nil)
        do {
            let reading = try Reading(stream)
            #expect(try await reading.read() == [1])
            #expect(try reading.readNow() == nil)
        }
        try await pieces.record.cancelled()
    }

    @Test func aBodyKnowsWhetherItCanBeSent() throws {
        let body = RequestBody.stream(pieces, length: 6)
        #expect(body.length == 6)
        #expect(RequestBody.stream(pieces).length == nil)
        #expect(!body.isEmpty)
        #expect(body.inMemory == nil)
        let error = thrown(RequestBuildingError.self) { try body.read() }
        #expect(error?.code == .streamedBody)
        #expect(body.canBeSent)
        _ = body.stream?.reader {}
        #expect(!body.canBeSent)
    }

    @Test func logsAndCommandsSayThatItIsAStream() throws {
        let url = try #require(URL(string: "http://127.0.0.1/a"))
        let request = RawUrlRequest(method: .put, url: url, body: .stream(pieces))
        #expect(request.details(.standard) == "(unknown length)")
        #expect(request.curlCommand.contains("--data-binary @-"))
    }
}
