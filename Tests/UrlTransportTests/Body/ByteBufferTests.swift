import Synchronization
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ByteBufferTests {
    private struct Broken: Error, Equatable {}

    @Test func aFullBufferRefusesUntilItIsRead() async throws {
        let rooms = Gathered<Int>()
        let buffer = ByteBuffer(limit: 4, onRoom: { rooms.append(1) }, onAbandon: {})
        let stream = ByteStream(buffer)
        let reader = stream.makeAsyncIterator()
        #expect(write(buffer, [1, 2, 3]))
        #expect(write(buffer, [4, 5]))
        #expect(!write(buffer, [6]))
        #expect(rooms.all.isEmpty)
        #expect(try await reader.next() == Data([1, 2, 3, 4, 5]))
        #expect(rooms.all == [1])
        #expect(write(buffer, [6]))
        buffer.finish(nil)
        #expect(try await reader.next() == Data([6]))
        #expect(try await reader.next() == nil)
        #expect(try await reader.next() == nil)
    }

    @Test func aFullBufferTakesWhatItMust() async throws {
        let buffer = ByteBuffer(limit: 1, onRoom: {}, onAbandon: {})
        #expect(write(buffer, [1]))
        #expect([UInt8]([2, 3]).withUnsafeBytes { buffer.write($0, always: true) })
        #expect(!write(buffer, [4]))
        #expect(try await ByteStream(buffer).makeAsyncIterator().next() == Data([1, 2, 3]))
    }

    @Test func whatCameBeforeABreakIsGivenFirst() async throws {
        let buffer = ByteBuffer(onRoom: {}, onAbandon: {})
        let reader = ByteStream(buffer).makeAsyncIterator()
        #expect(write(buffer, [1]))
        buffer.finish(Broken())
        buffer.finish(nil)
        #expect(try await reader.next() == Data([1]))
        await #expect(throws: Broken()) { try await reader.next() }
    }

    @Test func lettingGoOfTheStreamAndItsIteratorsAbandonsItOnce() {
        let ends = Gathered<Int>()
        let buffer = ByteBuffer(onRoom: {}, onAbandon: { ends.append(1) })
        var stream: ByteStream? = ByteStream(buffer)
        var iterator = stream?.makeAsyncIterator()
        stream = nil
        #expect(ends.all.isEmpty)
        _ = iterator
        iterator = nil
        #expect(ends.all == [1])
        #expect(write(buffer, [1]))
    }

    @Test func aCancelledReaderAbandonsIt() async throws {
        let ends = Gathered<Int>()
        let buffer = ByteBuffer(onRoom: {}, onAbandon: { ends.append(1) })
        let stream = ByteStream(buffer)
        let reading = Task { try await stream.makeAsyncIterator().next() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        withExtendedLifetime(stream) {}
    }

    private func write(_ buffer: ByteBuffer, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer.write($0) }
    }
}
