import Logging
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import HttpMessages

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
        try await pieces.record.canceled()
    }

    // MARK: Release

    private final class Guest: Sendable {
        let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void) {
            self.onRelease = onRelease
        }

        deinit {
            onRelease()
        }
    }

    /// Bytes that use the stream when they are released.
    private static func data(_ bytes: [UInt8], _ stream: Lent<BodyStream>, _ released: Lent<Int>) -> Data {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
        guard let start = memory.baseAddress else { return Data() }
        let guest = Guest {
            _ = stream.value?.isUsed
            released.value = (released.value ?? 0) + 1
        }
        return Data(
            bytesNoCopy: start, count: bytes.count,
            deallocator: .custom { pointer, _ in
                withExtendedLifetime(guest) {}
                pointer.deallocate()
            })
    }

    private final class Lent<Value: Sendable>: Sendable {
        private let held = Mutex<Value?>(nil)

        var value: Value? {
            get { held.withLock { $0 } }
            set {
                held.withLock { $0 = newValue }
            }
        }
    }

    /// Makes each piece when it is asked for, so that the stream has the only reference.
    private struct Guests: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let bytes: [UInt8]
        let stream: Lent<BodyStream>
        let released: Lent<Int>

        func makeAsyncIterator() -> Guests { self }

        func next() async -> Data? {
            BodyStreamTests.data(bytes, stream, released)
        }
    }

    @Test(arguments: [1, 2])
    func aPieceMayUseTheStreamWhenItIsReleased(read count: Int) async throws {
        let (lent, released) = (Lent<BodyStream>(), Lent<Int>())
        let bytes = [UInt8](repeating: 7, count: 100)
        let stream = BodyStream(Guests(bytes: bytes, stream: lent, released: released), length: nil)
        lent.value = stream
        do {
            let reading = try Reading(stream)
            #expect(try await reading.read(count * 50).count == count * 50)
        }
        while released.value == nil { await Task.yield() }
        lent.value = nil
    }

    @Test func whatOnReadyHoldsMayUseTheStreamWhenItIsReleased() {
        let stream = BodyStream(pieces, length: nil)
        let released = Lent<Int>()
        do {
            let guest = Guest {
                released.value = stream.isUsed ? 1 : 0
            }
            _ = stream.reader { withExtendedLifetime(guest) {} }
        }
        #expect(released.value == 1)
    }

    @Test func whatADiscardedHopHoldsMayUseTheLogWhenItIsReleased() throws {
        let log = HopLog()
        let released = Lent<Int>()
        let url = try #require(URL(string: "http://127.0.0.1/a"))
        do {
            let guest = Guest {
                released.value = log.isOpen ? 1 : 0
            }
            var request = HttpRequest(method: .get, url: url)
            request.options.onProgress = { _ in withExtendedLifetime(guest) {} }
            log.begin(request)
        }
        #expect(released.value == nil)
        log.discard()
        #expect(released.value == 1)
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
        let request = HttpRequest(method: .put, url: url, body: .stream(pieces))
        #expect(request.details(.standard) == "(unknown length)")
    }
}
