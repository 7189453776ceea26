import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file that is written by a queue of its own, batch by batch. Those who write are one at a time.
package final class FileOutput: Sendable {
    /// Bytes of a write: a call for each piece of a transfer would take twice the time.
    package static let batch = 256 << 10
    /// How many batches may wait while one is written.
    private static let mostWaiting = 2

    private struct State {
        /// Full batches in their order, without the one that is being written.
        var line: [[UInt8]] = []
        var isWriting = false
        var isRoomWanted = false
        /// Memory of batches that were written.
        var spare: [[UInt8]] = []
        var written = 0
        var failure: FileWriter.Failure?
    }

    let descriptor: Int32
    private let path: String
    private let onRoom: @Sendable () -> Void
    private let queue = DispatchQueue(label: "netchain.file")
    private let state = Mutex(State())

    /// - Parameter onRoom: called on the queue when there is room after a refusal.
    package init(_ descriptor: Int32, path: String, onRoom: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.path = path
        self.onRoom = onRoom
    }

    /// Takes the batch to be written, for an empty one; false while there is no room.
    package func take(_ batch: inout [UInt8]) throws(FileWriter.Failure) -> Bool {
        let (result, begins) = state.withLock { state -> (Result<Bool, FileWriter.Failure>, Bool) in
            if let failure = state.failure { return (.failure(failure), false) }
            guard state.line.count < Self.mostWaiting else {
                state.isRoomWanted = true
                return (.success(false), false)
            }
            var next = state.spare.popLast() ?? []
            swap(&batch, &next)
            state.line.append(next)
            defer { state.isWriting = true }
            return (.success(true), !state.isWriting)
        }
        if begins { queue.async { self.writeLine() } }
        return try result.get()
    }

    private func writeLine() {
        while var batch = next() {
            let (count, failure) = write(batch)
            batch.removeAll(keepingCapacity: true)
            let isRoomWanted = state.withLock { state in
                state.written += count
                state.failure = failure
                state.spare.append(batch)
                defer { state.isRoomWanted = false }
                return state.isRoomWanted
            }
            if isRoomWanted { onRoom() }
        }
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            guard !state.line.isEmpty, state.failure == nil else {
                state.isWriting = false
                return nil
            }
            return state.line.removeFirst()
        }
    }

    /// Waits until all that was taken is written, or can't be. Not to be called by `onRoom`.
    func wait() {
        queue.sync {}
    }

    /// Waits for what was taken, and writes what comes behind it.
    package func finish(_ rest: [UInt8]) throws(FileWriter.Failure) {
        wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let (count, failure) = write(rest)
        state.withLock { $0.written += count }
        if let failure { throw failure }
    }

    /// How many bytes were written since the last call.
    package func takeWritten() -> Int {
        state.withLock { state in
            defer { state.written = 0 }
            return state.written
        }
    }

    private func write(_ bytes: [UInt8]) -> (count: Int, FileWriter.Failure?) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                #elseif canImport(Musl)
                Musl.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                #else
                Darwin.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return (done, .system(path, "can't be written")) }
            done += count
        }
        return (done, nil)
    }
}
