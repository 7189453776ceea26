import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request's body that an asynchronous sequence brings. It is read once, piece by piece as the sender wants it.
///
/// The sequence runs in a task of its own, with the task-local values of the run that sends it. The task is started by the
/// first read, waits while no piece is wanted, and is canceled when the reader is released.
package final class BodyStream: Sendable {
    /// What a read brought.
    package enum Reading {
        /// So many bytes are in the buffer.
        case bytes(Int)
        /// Nothing is available yet; `onReady` is called when something is.
        case wait
        /// The body has ended.
        case end
    }

    /// Why a body is not what was announced.
    package enum Failure: Error {
        /// The sequence threw.
        case thrown(any Error)
        /// The sequence ended after so many bytes, which are fewer than announced.
        case tooShort(Int64)
        /// The sequence brought more bytes than announced.
        case tooLong
    }

    /// Where the next piece stands between the reader and the producer.
    private enum Demand {
        /// It is not wanted, and the producer has not asked.
        case none
        /// It is wanted, and the producer has not asked.
        case wanted
        /// The producer knows that it's wanted, and has not brought it.
        case underWay
        /// It is not wanted, and the producer waits until it is.
        case parked(CheckedContinuation<Bool, Never>)
    }

    private struct State {
        var isUsed = false
        var isClosed = false
        var hasStarted = false
        var task: Task<Void, Never>?
        var demand = Demand.none
        var onReady: (@Sendable () -> Void)?
        /// The run that sends it.
        var run: Run?
        /// What was brought and is not read yet.
        var piece = Data()
        /// How many bytes were read.
        var given: Int64 = 0
        /// How it ended; the inner value is nil for a whole body.
        var end: (any Error)??
    }

    private let state = Mutex(State())
    private let produce: @Sendable (BodyStream) async -> Void
    /// How many bytes there will be; nil when that is not known.
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

    /// Whether it has a reader. There is never a second one.
    package var isUsed: Bool {
        state.withLock { $0.isUsed }
    }

    /// Begins to read; nil when somebody has before.
    ///
    /// - Parameters:
    ///   - run: the run that sends the body.
    ///   - onReady: called after a read that had to wait, when another one is worth while.
    package func reader(in run: Run? = nil, onReady: @escaping @Sendable () -> Void) -> Reader? {
        let isFirst = state.withLock { state in
            defer { state.isUsed = true }
            if !state.isUsed { (state.onReady, state.run) = (onReady, run) }
            return !state.isUsed
        }
        return isFirst ? Reader(self) : nil
    }

    /// Reads the body, from one thread at a time. The sequence is canceled with its last reference.
    package final class Reader {
        private let stream: BodyStream

        fileprivate init(_ stream: BodyStream) {
            self.stream = stream
        }

        deinit {
            stream.close()
        }

        /// Fills the buffer as far as the piece at hand goes.
        ///
        /// Of a body whose length was announced the last piece is given when the sequence has ended: more bytes would
        /// come too late to be noticed otherwise.
        package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Reading {
            try stream.read(into: buffer)
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Reading {
        // The piece that is read is released after unlocking.
        var old: Data?
        defer { withExtendedLifetime(old) {} }
        let (result, ask) = state.withLock { state -> (Result<Reading, Failure>, (@Sendable () -> Void)?) in
            let isEnded: Bool
            switch state.end {
            case .some(.some(let error)): return (.failure(.thrown(error)), nil)
            case .some(.none): isEnded = true
            case .none: isEnded = false
            }
            let sum = state.given + Int64(state.piece.count)
            if let length {
                if sum > length { return (.failure(.tooLong), nil) }
                if isEnded, sum < length { return (.failure(.tooShort(sum)), nil) }
            }
            if !isEnded, state.piece.isEmpty || sum == length { return (.success(.wait), want(&state)) }
            guard !state.piece.isEmpty else { return (.success(.end), nil) }
            let count = min(buffer.count, state.piece.count)
            state.piece.copyBytes(to: buffer, count: count)
            // A slice keeps what it was cut from, so the last one goes.
            if count == state.piece.count { old = state.piece }
            state.piece = count == state.piece.count ? Data() : state.piece.dropFirst(count)
            state.given += Int64(count)
            return (.success(.bytes(count)), nil)
        }
        ask?()
        return try result.get()
    }

    /// Asks for the next piece; returns what is to be done after unlocking.
    private func want(_ state: inout State) -> (@Sendable () -> Void)? {
        if state.isClosed { return nil }
        switch state.demand {
        case .wanted, .underWay: return nil
        case .none:
            state.demand = .wanted
            guard !state.hasStarted else { return nil }
            state.hasStarted = true
            return { [run = state.run] in
                if let run { run.perform { self.startTask() } } else { self.startTask() }
            }
        case .parked(let producer):
            state.demand = .underWay
            return { producer.resume(returning: true) }
        }
    }

    private func startTask() {
        state.withLock { state in
            if !state.isClosed { state.task = Task { await self.produce(self) } }
        }
    }

    // MARK: The producer's side

    /// Waits until a piece is wanted; false when none ever will be.
    private func isPieceWanted() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                guard case .wanted = state.demand else {
                    state.demand = .parked(continuation)
                    return nil
                }
                state.demand = .underWay
                return true
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func take(_ piece: Data) {
        // What the next piece is appended to is released after unlocking.
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
        let onReady = state.withLock { state in
            state.end = .some(error)
            return state.isClosed ? nil : state.onReady
        }
        onReady?()
    }

    private func close() {
        // A piece and a closure may be the last references to objects of the caller: released after unlocking.
        let old = state.withLock { state in
            defer {
                state.isClosed = true
                state.onReady = nil
                state.run = nil
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
