import HttpMessages
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ByteBufferTests {
    private struct Broken: Error, Equatable {}

    @Test func aFullBufferHasNoSpaceUntilItIsRead() async throws {
        let spaces = Gathered<Int>()
        let buffer = ByteBuffer(limit: 4, onSpace: { spaces.append(1) }, onAbandon: {})
        let stream = ByteStream(buffer)
        let reader = stream.makeAsyncIterator()
        write(buffer, [1, 2, 3])
        #expect(buffer.hasSpace())
        write(buffer, [4, 5])
        #expect(!buffer.hasSpace())
        write(buffer, [6])
        #expect(spaces.all.isEmpty)
        #expect(try await reader.next() == Data([1, 2, 3, 4, 5, 6]))
        #expect(spaces.all == [1])
        #expect(buffer.hasSpace())
        write(buffer, [7, 8, 9, 10])
        #expect(try await reader.next() == Data([7, 8, 9, 10]))
        // `hasSpace()` has not returned false since.
        #expect(spaces.all == [1])
        write(buffer, [11])
        buffer.finish(nil)
        #expect(try await reader.next() == Data([11]))
        #expect(try await reader.next() == nil)
        #expect(try await reader.next() == nil)
    }

    @Test func whatCameBeforeABreakIsGivenFirst() async throws {
        let buffer = ByteBuffer(onSpace: {}, onAbandon: {})
        let reader = ByteStream(buffer).makeAsyncIterator()
        write(buffer, [1])
        buffer.finish(Broken())
        buffer.finish(nil)
        #expect(try await reader.next() == Data([1]))
        await #expect(throws: Broken()) { try await reader.next() }
    }

    @Test func lettingGoOfTheStreamAndItsIteratorsAbandonsItOnce() {
        let ends = Gathered<Int>()
        let buffer = ByteBuffer(onSpace: {}, onAbandon: { ends.append(1) })
        var stream: ByteStream? = ByteStream(buffer)
        var iterator = stream?.makeAsyncIterator()
        stream = nil
        #expect(ends.all.isEmpty)
        _ = iterator
        iterator = nil
        #expect(ends.all == [1])
        write(buffer, [UInt8](repeating: 1, count: 2 << 20))
        #expect(buffer.hasSpace())
    }

    @Test func aCancelledReaderAbandonsIt() async throws {
        let ends = Gathered<Int>()
        let buffer = ByteBuffer(onSpace: {}, onAbandon: { ends.append(1) })
        let stream = ByteStream(buffer)
        let reading = Task { try await stream.makeAsyncIterator().next() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        withExtendedLifetime(stream) {}
    }

    private func write(_ buffer: ByteBuffer, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer.write($0) }
    }
}
