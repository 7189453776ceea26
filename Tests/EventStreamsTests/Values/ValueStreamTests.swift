import EventStreams
import Synchronization
import TestSupport
import Testing

/// Counts to a number, and yields between two values.
private struct Numbers: ValueSource {
    struct Failure: Error {}
    var next = 1
    let count: Int
    var fails = false
    var checksCancellation = true
    var owner = Owner()

    mutating func next() async throws -> Int? {
        await Task.yield()
        if checksCancellation { try Task.checkCancellation() }
        if next > count { if fails { throw Failure() } else { return nil } }
        defer { next += 1 }
        return next
    }
}

/// A value that is there on the main actor only, and the end.
private struct ReadyOnMain: ValueSource {
    private var isRead = false

    mutating func ready() throws -> Int? {
        if isRead { return nil }
        MainActor.preconditionIsolated()
        isRead = true
        return 7
    }

    mutating func next() async throws -> Int? { nil }
}

private final class Owner: Sendable {}

struct ValueStreamTests {
    @Test func itDeliversItsValues() async throws {
        var numbers: [Int] = []
        for try await number in ValueStream(Numbers(count: 3)) { numbers.append(number) }
        #expect(numbers == [1, 2, 3])
    }

    @Test @MainActor func aValueThatIsThereIsReturnedWithoutLeavingTheActor() async throws {
        var numbers: [Int] = []
        for try await number in ValueStream(ReadyOnMain()) { numbers.append(number) }
        #expect(numbers == [7])
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

    /// Readers that are canceled while others wait: no value is lost, none comes twice, and no reader waits for ever.
    @Test func canceledReadersLoseNothing() async throws {
        for _ in 0..<200 {
            let stream = ValueStream(Numbers(count: .max, checksCancellation: false))
            let readers = (0..<8).map { _ in
                Task { try await stream.makeAsyncIterator().next() }
            }
            for reader in readers.prefix(5) { reader.cancel() }
            var numbers: [Int] = []
            for reader in readers {
                if let number = try? await reader.value { numbers.append(number) }
            }
            #expect(numbers.sorted() == Array(1...numbers.count))
            #expect(numbers.count >= 3)
        }
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
