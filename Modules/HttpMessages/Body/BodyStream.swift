import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A request body that an asynchronous sequence supplies. It can be read once, piece by piece as the sender needs it.
///
/// The sequence runs in a dedicated task, with the task-local values of the task that sends the body. The first read
/// starts the task. The task is suspended while no piece is wanted, and is canceled when the reader is released.
package final class BodyStream: Sendable {
    package enum Reading {
        /// This number of bytes was copied into the buffer.
        case bytes(Int)
        /// Nothing is available yet; `onReady` is called when something is.
        case wait
        /// The body is complete.
        case end
    }

    /// The state of the next piece between the reader and the producer.
    private enum Demand {
        /// The reader doesn't want it, and the producer has not asked.
        case none
        /// The reader wants it, and the producer has not asked.
        case wanted
        /// The producer knows that the piece is wanted, and has not supplied it.
        case requested
        /// The reader doesn't want it, and the producer is suspended until it does.
        case parked(CheckedContinuation<Bool, Never>)
    }

    private struct State {
        var isUsed = false
        var isClosed = false
        var hasStarted = false
        var task: Task<Void, Never>?
        var demand = Demand.none
        var onReady: (@Sendable () -> Void)?
        /// The task-local values that the sequence sees.
        var values: CallersValues?
        /// Bytes that the producer has supplied and the reader has not read.
        var piece = Data()
        /// The number of bytes that were read.
        var given: Int64 = 0
        /// The result; the inner value is nil for a complete body.
        var end: BodyFailure??
    }

    private let state = Mutex(State())
    private let produce: @Sendable (BodyStream) async -> Void
    /// The announced length in bytes; nil when not known.
    package let length: Int64?

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64?)
    where Chunks.Element: ContiguousBytes & Sendable {
        self.length = length
        produce = { stream in
            do {
                var iterator = chunks.makeAsyncIterator()
                while await stream.isPieceWanted() {
                    var piece = Data()
                    while piece.isEmpty {
                        guard let next = try await iterator.next() else { return stream.end(nil) }
                        piece = next as? Data ?? next.withUnsafeBytes { Data($0) }
                    }
                    stream.take(piece)
                }
            } catch {
                stream.end(error)
            }
        }
    }

    /// Whether a reader was created. There is at most one.
    package var isUsed: Bool {
        state.withLock { $0.isUsed }
    }

    /// Creates the reader. Returns nil when there was one already.
    ///
    /// - Parameters:
    ///   - values: the task-local values that the sequence sees.
    ///   - onReady: called, on any thread, after a read that returned `.wait`, when another read makes sense.
    package func reader(_ values: CallersValues? = nil, onReady: @escaping @Sendable () -> Void) -> Reader? {
        let isFirst = state.withLock { state in
            defer { state.isUsed = true }
            if !state.isUsed { (state.onReady, state.values) = (onReady, values) }
            return !state.isUsed
        }
        return isFirst ? Reader(self) : nil
    }

    /// Reads the body, from one thread at a time. Releasing the reader cancels the task of the sequence.
    package final class Reader {
        private let stream: BodyStream

        fileprivate init(_ stream: BodyStream) {
            self.stream = stream
        }

        deinit {
            stream.close()
        }

        /// Fills the buffer from the current piece.
        ///
        /// With an announced length the last piece is returned only when the sequence has completed. Otherwise surplus
        /// bytes would be detected too late.
        ///
        /// - Throws: ``BodyFailure`` when the sequence threw, or supplied fewer or more bytes than announced.
        package func read(into buffer: UnsafeMutableRawBufferPointer) throws(BodyFailure) -> Reading {
            try stream.read(into: buffer)
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(BodyFailure) -> Reading {
        // The piece is released after unlocking.
        var old: Data?
        defer { withExtendedLifetime(old) {} }
        // Nothing may follow, so the sequence isn't iterated.
        if length == 0 { return .end }
        let (result, ask) = state.withLock { state -> (Result<Reading, BodyFailure>, (@Sendable () -> Void)?) in
            let isEnded: Bool
            switch state.end {
            case .some(.some(let failure)): return (.failure(failure), nil)
            case .some(.none): isEnded = true
            case .none: isEnded = false
            }
            let sum = state.given + Int64(state.piece.count)
            if let length {
                if sum > length { return (.failure(.tooLong(length)), nil) }
                if isEnded, sum < length { return (.failure(.tooShort(sum, of: length)), nil) }
            }
            if !isEnded, state.piece.isEmpty || sum == length { return (.success(.wait), want(&state)) }
            guard !state.piece.isEmpty else { return (.success(.end), nil) }
            let count = min(buffer.count, state.piece.count)
            state.piece.copyBytes(to: buffer, count: count)
            // A slice retains the buffer that it was cut from, so the last one is replaced.
            if count == state.piece.count { old = state.piece }
            state.piece = count == state.piece.count ? Data() : state.piece.dropFirst(count)
            state.given += Int64(count)
            return (.success(.bytes(count)), nil)
        }
        ask?()
        return try result.get()
    }

    /// Requests the next piece. Returns the action to perform after unlocking.
    private func want(_ state: inout State) -> (@Sendable () -> Void)? {
        if state.isClosed { return nil }
        switch state.demand {
        case .wanted, .requested: return nil
        case .none:
            state.demand = .wanted
            guard !state.hasStarted else { return nil }
            state.hasStarted = true
            return { [values = state.values] in
                if let values { values.call { self.startTask() } } else { self.startTask() }
            }
        case .parked(let producer):
            state.demand = .requested
            return { producer.resume(returning: true) }
        }
    }

    private func startTask() {
        state.withLock { state in
            if !state.isClosed { state.task = Task { await self.produce(self) } }
        }
    }

    // MARK: Producer

    /// Suspends the producer until a piece is wanted. Returns false when the reader was released.
    private func isPieceWanted() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                guard case .wanted = state.demand else {
                    state.demand = .parked(continuation)
                    return nil
                }
                state.demand = .requested
                return true
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func take(_ piece: Data) {
        // The buffer that the append replaces is released after unlocking.
        var old: Data?
        defer { withExtendedLifetime(old) {} }
        let onReady = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed else { return nil }
            state.demand = .none
            if state.piece.isEmpty {
                state.piece = piece
            } else {
                old = state.piece
                state.piece.append(piece)
            }
            return state.onReady
        }
        onReady?()
    }

    private func end(_ error: (any Error)?) {
        // The error describes itself, so not under the lock.
        let failure = error.map { BodyFailure(thrown: $0) }
        let onReady = state.withLock { state in
            state.end = .some(failure)
            return state.isClosed ? nil : state.onReady
        }
        onReady?()
    }

    private func close() {
        // The piece and the closure may hold the last references to objects of the caller. They are released after
        // unlocking.
        let old = state.taking { state in
            defer {
                state.isClosed = true
                state.onReady = nil
                state.values = nil
                state.piece = Data()
                state.task = nil
                state.demand = .none
            }
            return state
        }
        old.task?.cancel()
        if case .parked(let producer) = old.demand { producer.resume(returning: false) }
    }
}
