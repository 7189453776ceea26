import EventStreams
import Foundation
import Synchronization
import TestSupport
import Testing

/// Counts to a number, and yields between two values.
private struct Numbers: ValueSource {
    struct Failure: Error {}
    var next = 1
    let count: Int
    var fails = false
    /// How many values have arrived with each one that was waited for.
    var readyCount = 0
    var owner = Owner()

    mutating func next() async throws -> Int? {
        await Task.yield()
        try Task.checkCancellation()
        if next > count { if fails { throw Failure() } else { return nil } }
        defer { next += 1 }
        return next
    }

    mutating func ready() -> Int? {
        guard readyCount > 0, next <= count, next % readyCount != 0 else { return nil }
        defer { next += 1 }
        return next
    }
}

private final class Owner: Sendable {}

/// Whether each value was made on the main thread.
private struct Places: ValueSource {
    var count = 0

    mutating func next() async -> Bool? {
        count += 1
        return count > 3 ? nil : isMainThread()
    }

    mutating func ready() -> Bool? {
        count += 1
        return count.isMultiple(of: 10) ? nil : isMainThread()
    }
}

private func isMainThread() -> Bool { Thread.isMainThread }

struct ValueStreamTests {
    @Test(arguments: [0, 1, 2, 31, 32, 33, 1_000]) func itDeliversItsValues(readyCount: Int) async throws {
        var numbers: [Int] = []
        for try await number in ValueStream(Numbers(count: 200, readyCount: readyCount)) { numbers.append(number) }
        #expect(numbers == Array(1...200))
    }

    @Test @MainActor func valuesAreMadeOffTheReadersActor() async throws {
        for try await isOnMainThread in ValueStream(Places()) { #expect(!isOnMainThread) }
    }

    @Test func eachValueIsDeliveredOnceToConcurrentReaders() async throws {
        let stream = ValueStream(Numbers(count: 1_000))
        let all = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var own: [Int] = []
                    for try await number in stream { own.append(number) }
                    return own
                }
            }
            var all: [Int] = []
            for try await own in group {
                // Each reader gets its values in order.
                #expect(own == own.sorted())
                all += own
            }
            return all
        }
        #expect(all.sorted() == Array(1...1_000))
    }

    /// Readers that are canceled while others wait: no value comes twice or out of order, and no reader waits for ever.
    @Test func noReaderWaitsAfterOthersAreCanceled() async throws {
        for _ in 0..<200 {
            let stream = ValueStream(Numbers(count: .max))
            let readers = (0..<8).map { _ in
                Task { try await stream.makeAsyncIterator().next() }
            }
            for reader in readers.prefix(5) { reader.cancel() }
            var numbers: [Int] = []
            for reader in readers {
                if let number = try? await reader.value { numbers.append(number) }
            }
            #expect(numbers.sorted() == Array(1..<1 + numbers.count))
        }
    }

    @Test func aCanceledReaderGetsNoValueThatHasArrived() async throws {
        let owner = Owner()
        let stream = ValueStream(Numbers(count: .max, readyCount: 100, owner: owner))
        let reader = Task {
            var count = 0
            for try await _ in stream {
                count += 1
                if count == 5 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
        await #expect(throws: CancellationError.self) { try await stream.makeAsyncIterator().next() }
    }

    @Test func anErrorIsThrownAgain() async throws {
        let stream = ValueStream(Numbers(count: 1, fails: true))
        let iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        for _ in 0..<2 {
            await #expect(throws: Numbers.Failure.self) { try await iterator.next() }
        }
    }

    @Test func theSourceIsReleasedAtTheEndAndAfterAnError() async throws {
        for fails in [false, true] {
            weak var owner: Owner?
            let stream: ValueStream<Int>
            do {
                let strong = Owner()
                owner = strong
                stream = ValueStream(Numbers(count: 0, fails: fails, owner: strong))
            }
            #expect(owner != nil)
            _ = try? await stream.makeAsyncIterator().next()
            #expect(owner == nil)
            withExtendedLifetime(stream) {}
        }
    }

    @Test func aReaderThatWaitsForAnotherOneCanBeCanceled() async throws {
        let gate = Gate()
        let stream = ValueStream(Gated(gate: gate))
        let first = Task { try await stream.makeAsyncIterator().next() }
        await gate.reached()
        let second = Task { try await stream.makeAsyncIterator().next() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        #expect(try await first.value == 1)
    }
}

private struct Gated: ValueSource {
    let gate: Gate

    mutating func next() async throws -> Int? {
        await gate.wait()
        return 1
    }
}

private final class Gate: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Void, Never>?
        var observer: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let observer = state.withLock { state in
                state.waiting = continuation
                return state.observer.take()
            }
            observer?.resume()
        }
    }

    func reached() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.waiting == nil { state.observer = continuation }
                return state.waiting != nil
            }
            if isReached { continuation.resume() }
        }
    }

    func open() {
        state.withLock { $0.waiting.take() }?.resume()
    }
}
