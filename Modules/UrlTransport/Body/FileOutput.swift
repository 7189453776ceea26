import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes to an open file on a queue of its own, batch by batch, so that the thread with the bytes never waits for the
/// disk.
///
/// One thread at a time hands batches over. The descriptor is the caller's, and is to be open until ``finish(_:then:)``
/// reports the end.
package final class FileOutput: Sendable {
    /// Bytes of a write: a call for each piece of a transfer would take twice the time.
    package static let batch = 256 << 10
    /// How many batches may wait while one is written and one gathered: enough that neither the network nor the disk
    /// waits for the other for long. Docs/Performance.md has figures.
    package static let mostWaiting = 3

    private struct State {
        /// Full batches in their order, without the one that is being written.
        var line: [[UInt8]] = []
        var isWriting = false
        var isRoomWanted = false
        /// Memory of batches that were written.
        var spare: [[UInt8]] = []
        var written = 0
        var failure: FileWriter.Failure?

        /// The batch to be written now; nil when the writing has ended.
        mutating func next() -> [UInt8]? {
            guard !line.isEmpty, failure == nil else {
                isWriting = false
                return nil
            }
            return line.removeFirst()
        }
    }

    private let descriptor: @Sendable () throws(FileWriter.Failure) -> Int32
    private let path: String
    private let onRoom: @Sendable () -> Void
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: called on the queue before each write.
    ///   - path: the file's name in errors.
    ///   - queue: a serial one.
    ///   - onRoom: called on the queue when there is room after a refusal, or never will be.
    package init(
        _ descriptor: @escaping @Sendable () throws(FileWriter.Failure) -> Int32, path: String,
        queue: DispatchQueue = DispatchQueue(label: "netchain.file"), onRoom: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        self.path = path
        self.queue = queue
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
        var next = state.withLock { $0.next() }
        while var batch = next.take() {
            let (count, failure) = write(batch)
            batch.removeAll(keepingCapacity: true)
            let isRoomWanted: Bool
            (next, isRoomWanted) = state.withLock { state in
                state.written += count
                state.failure = failure
                state.spare.append(batch)
                defer { state.isRoomWanted = false }
                return (state.next(), state.isRoomWanted)
            }
            if isRoomWanted { onRoom() }
        }
    }

    /// Forgets what waits to be written.
    package func drop() {
        state.withLock { state in
            state.line = []
            state.isRoomWanted = false
        }
    }

    /// Takes the rest, and writes it behind all that was taken. `then` is called on the queue, with what went wrong, if
    /// anything did.
    package func finish(_ rest: inout [UInt8], then: @escaping @Sendable (FileWriter.Failure?) -> Void) {
        state.withLock { state in
            var last: [UInt8] = []
            swap(&rest, &last)
            state.line.append(last)
        }
        queue.async {
            self.writeLine()
            then(self.endState())
        }
    }

    /// What went wrong. The memory of batches is free before anybody hears of the end, and may begin another download.
    private func endState() -> FileWriter.Failure? {
        // Released after unlocking.
        let (failure, _) = state.withLock { state in
            defer { (state.line, state.spare) = ([], []) }
            return (state.failure, (state.line, state.spare))
        }
        return failure
    }

    /// How many bytes were written since the last call.
    package func takeWritten() -> Int {
        state.withLock { state in
            defer { state.written = 0 }
            return state.written
        }
    }

    private func write(_ bytes: [UInt8]) -> (count: Int, FileWriter.Failure?) {
        if bytes.isEmpty { return (0, nil) }
        let descriptor: Int32
        do throws(FileWriter.Failure) {
            descriptor = try self.descriptor()
        } catch {
            return (0, error)
        }
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
