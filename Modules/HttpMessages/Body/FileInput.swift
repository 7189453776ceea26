#if os(Linux)
import Dispatch
import NodeCore
import Synchronization

/// Reads a body that contains files ahead of its sender on a dedicated queue, so that the sender never waits for the
/// disk.
///
/// One thread at a time may read from it. When its last reference is released, the queue closes the files.
package final class FileInput: Sendable {
    /// The size of a piece in bytes, which one read fills.
    package static let batch = 256 << 10
    /// The number of pieces that are read ahead. The queue stops reading at this number.
    package static let mostAhead = 2

    private struct Piece {
        var bytes: [UInt8]
        /// The range of `bytes` that was read and not taken yet.
        var rest = 0..<0

        /// Moves bytes to the buffer. Returns their number.
        mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let part = rest.prefix(buffer.count)
            bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[part])) }
            rest.removeFirst(part.count)
            return part.count
        }
    }

    private struct State {
        /// Reads the files; nil while the queue uses it.
        var reader: SegmentReader?
        /// Whether the queue reads, or a read was enqueued.
        var isReading = false
        /// Pieces that were read and not taken yet.
        var pieces: [Piece] = []
        /// Pieces that were taken, whose memory is reused.
        var spare: [Piece] = []
        /// Resumes a read that returned `.wait`; nil while there is none.
        var onReady: (@Sendable () -> Void)?
        var hasBegun = false
        var hasEnded = false
        var failure: BodyFailure?

        /// Returns the reader if another piece may be read ahead. Returns nil otherwise, and then the queue stops
        /// reading.
        mutating func next(upTo most: Int) -> SegmentReader? {
            isReading = !hasEnded && failure == nil && pieces.count < most
            return isReading ? reader.take() : nil
        }

        /// Whether the caller must enqueue a read.
        mutating func beginsReading() -> Bool {
            if isReading || hasEnded || failure != nil || pieces.count >= FileInput.mostAhead { return false }
            isReading = true
            return true
        }
    }

    private let state: Mutex<State>
    private let segments: [RequestBody.Segment]
    /// The capacity of a piece in bytes, at most the size of the body.
    private let capacity: Int
    private let queue = DispatchQueue(label: "netchain.file")

    /// - Parameter offset: the position to begin at, in bytes from the start of the body.
    package init(_ segments: [RequestBody.Segment], from offset: Int64 = 0) {
        self.segments = segments
        let length = segments.reduce(0) { $0 + ($1.size ?? 0) }
        capacity = Int(min(Int64(Self.batch), max(1, length - offset)))
        state = Mutex(State(reader: SegmentReader(segments, from: offset)))
    }

    package var hasBegun: Bool {
        state.withLock { $0.hasBegun }
    }

    deinit {
        let reader = state.taking { $0.reader.take() }
        queue.async { withExtendedLifetime(reader) {} }
    }

    /// Checks all files and then reads the first piece, before the sender sends anything. `then` is called on the
    /// queue, with the first failure of a file.
    package func begin(then: @escaping @Sendable (BodyFailure?) -> Void) {
        state.withLock { state in
            state.hasBegun = true
            state.isReading = true
        }
        queue.async { [self] in
            do throws(BodyFailure) {
                try SegmentReader.check(segments)
            } catch {
                return then(error)
            }
            readAhead(upTo: 1)
            then(state.withLock { $0.failure })
        }
    }

    /// Fills the buffer from the current piece.
    ///
    /// - Parameter onReady: called once, on the queue, when this call returned `.wait` and another one makes progress.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, onReady: @escaping @Sendable () -> Void
    ) throws(BodyFailure) -> BodyStream.Reading {
        let (result, begins) = state.taking { state -> (Result<BodyStream.Reading, BodyFailure>, Bool) in
            if state.pieces.isEmpty {
                if let failure = state.failure { return (.failure(failure), false) }
                if state.hasEnded { return (.success(.end), false) }
                if state.onReady == nil { state.onReady = onReady }
                return (.success(.wait), state.beginsReading())
            }
            let count = state.pieces[0].take(into: buffer)
            if state.pieces[0].rest.isEmpty { state.spare.append(state.pieces.removeFirst()) }
            return (.success(.bytes(count)), state.beginsReading())
        }
        if begins { queue.async { self.readAhead(upTo: Self.mostAhead) } }
        return try result.get()
    }

    private func readAhead(upTo most: Int) {
        while var reader = state.withLock({ $0.next(upTo: most) }) {
            var piece = state.taking { $0.spare.popLast() } ?? Piece(bytes: [UInt8](repeating: 0, count: capacity))
            var failure: BodyFailure?
            do throws(BodyFailure) {
                piece.rest = try 0..<reader.read(into: &piece.bytes)
            } catch {
                failure = error
            }
            let onReady = state.taking { state in
                state.reader = reader
                state.failure = failure
                if failure == nil, piece.rest.isEmpty { state.hasEnded = true }
                if failure == nil, !piece.rest.isEmpty { state.pieces.append(piece) }
                return state.onReady.take()
            }
            onReady?()
        }
    }
}

extension SegmentReader {
    fileprivate mutating func read(into bytes: inout [UInt8]) throws(BodyFailure) -> Int {
        var result = Result<Int, BodyFailure>.success(0)
        bytes.withUnsafeMutableBytes { buffer in
            do throws(BodyFailure) {
                result = .success(try read(into: buffer))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}
#endif
