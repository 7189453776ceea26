import Dispatch
import NodeCore
import Synchronization

/// Writes to an open file on a dedicated queue, so that the receiving thread never waits for the disk. Bytes are
/// coalesced to batches.
///
/// One thread at a time may hand over batches. The caller keeps the file until ``finish(_:then:)`` calls its closure.
package final class FileOutput: Sendable {
    /// The size of a batch in bytes, which one `write` call takes. One call for each received piece would take twice
    /// the time.
    package static let batch = 256 << 10
    /// The number of queued batches, besides the one that is being written and the one that is gathered. At this number
    /// ``hasSpace()`` returns false. It lets the network and the disk seldom wait for each other. Docs/Performance.md has
    /// measurements.
    package static let mostWaiting = 4

    private struct State {
        /// Full batches in their order, without the one that is being written.
        var line: [[UInt8]] = []
        var isWriting = false
        var isSpaceWanted = false
        /// Memory of written batches, which is reused.
        var spare: [[UInt8]] = []
        var written = 0
        var failure: BodyFailure?

        /// Returns the batch to write. Returns nil when there is none or a write has failed, and then the queue stops
        /// writing.
        mutating func next() -> [UInt8]? {
            guard !line.isEmpty, failure == nil else {
                isWriting = false
                return nil
            }
            return line.removeFirst()
        }
    }

    private let file: any UnfinishedFile
    private let onSpace: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter onSpace: called on the queue after ``hasSpace()`` returned false, when a batch was written or a write
    ///   failed.
    package init(_ file: any UnfinishedFile, onSpace: @escaping @Sendable () -> Void) {
        self.file = file
        self.onSpace = onSpace
    }

    /// Whether more batches should be enqueued. After false, `onSpace` is called once one is written.
    ///
    /// - Throws: the failure of an earlier write.
    package func hasSpace() throws(BodyFailure) -> Bool {
        let (hasSpace, failure) = state.withLock { state in
            state.isSpaceWanted = state.failure == nil && state.line.count >= Self.mostWaiting
            return (!state.isSpaceWanted, state.failure)
        }
        if let failure { throw failure }
        return hasSpace
    }

    /// Enqueues the batch, however many wait, and replaces it with an empty one.
    package func enqueue(_ batch: inout [UInt8]) {
        let begins = state.withLock { state in
            var next = state.spare.popLast() ?? []
            swap(&batch, &next)
            state.line.append(next)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { file.queue.async { self.writeLine() } }
    }

    private func writeLine() {
        var next = state.withLock { $0.next() }
        while var batch = next.take() {
            let (count, failure) = write(batch)
            batch.removeAll(keepingCapacity: true)
            let isSpaceWanted: Bool
            (next, isSpaceWanted) = state.withLock { state in
                state.written += count
                state.failure = failure
                if batch.capacity <= 2 * Self.batch { state.spare.append(batch) }
                defer { state.isSpaceWanted = false }
                return (state.next(), state.isSpaceWanted)
            }
            if isSpaceWanted { onSpace() }
        }
    }

    /// Discards the batches that are not being written.
    package func drop() {
        state.withLock { state in
            state.line = []
            state.isSpaceWanted = false
        }
    }

    /// Writes the rest after all enqueued batches, and records in the file how much was written. `then` is called on the
    /// queue, with the failure, if there was one. No other batch follows.
    package func finish(_ rest: inout [UInt8], then: @escaping @Sendable (BodyFailure?) -> Void) {
        state.withLock { state in
            var last: [UInt8] = []
            swap(&rest, &last)
            state.line.append(last)
        }
        file.queue.async {
            self.writeLine()
            then(self.endState())
        }
    }

    /// Records in the file what was written. Returns the failure, if there was one. The memory of the batches is released
    /// before the caller is notified, because the caller may start another download.
    private func endState() -> BodyFailure? {
        let (written, failure, _) = state.taking { state in
            defer { (state.line, state.spare) = ([], []) }
            return (state.written, state.failure, (state.line, state.spare))
        }
        file.grow(by: written)
        return failure
    }

    private func write(_ bytes: [UInt8]) -> (count: Int, BodyFailure?) {
        if bytes.isEmpty { return (0, nil) }
        let descriptor: Int32
        do throws(BodyFailure) {
            descriptor = try file.descriptor()
        } catch {
            return (0, error)
        }
        let done = bytes.withUnsafeBytes { FileWriter.write($0, to: descriptor) }
        return (done, done == bytes.count ? nil : .system(file.path, "can't be written"))
    }
}
