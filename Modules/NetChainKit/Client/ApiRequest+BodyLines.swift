import Models
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ApiRequest {
    /// Sends a sequence of values as newline-delimited JSON, `application/x-ndjson`, while they are encoded.
    ///
    /// ```swift
    /// try await api.post("import").body(lines: rows.lazy.map(Row.init)).send()
    /// ```
    ///
    /// - The client's JSON encoder encodes each value, without `prettyPrinted`. The lines are sent in pieces of about
    ///   64 KiB, so that the memory use doesn't depend on their number.
    /// - The body is a `RequestBody.stream(_:length:)` of unknown length, with its contract: a retry doesn't send it
    ///   again. Sending the request again iterates the sequence again.
    /// - The sequence is iterated in a task. An error of encoding fails the request with
    ///   `TransportError.Code.uploadFailed`, as its cause.
    public func body<Rows: Sequence & Sendable>(lines rows: Rows) -> ApiRequest
    where Rows.Element: Encodable & Sendable {
        body(pieces: { EncodedPieces(rows: rows, line: $0) })
    }

    /// Sends an asynchronous sequence of values as newline-delimited JSON, `application/x-ndjson`. A line is sent as soon as
    /// there is a value, together with those that arrive while the sender is busy, up to about 64 KiB.
    ///
    /// The contract is that of a synchronous sequence. An error of the sequence fails the request, too, with
    /// `TransportError.Code.uploadFailed`, as its cause. A request that completes early cancels the task in which the
    /// sequence is iterated.
    public func body<Rows: AsyncSequence & Sendable>(lines rows: Rows) -> ApiRequest
    where Rows.Element: Encodable & Sendable {
        body(pieces: { EncodedLines(rows: rows, line: $0) })
    }

    private func body<Pieces: AsyncSequence & Sendable>(
        pieces: @escaping @Sendable (LineEncoder) -> Pieces
    ) -> ApiRequest where Pieces.Element == Data {
        with(.model { .body(.stream(pieces(LineEncoder($0.json))), contentType: "application/x-ndjson") })
    }
}

/// Encodes values as lines.
private struct LineEncoder: Sendable {
    private let encoder: JsonEncoder

    init(_ encoder: JsonEncoder) {
        var encoder = encoder
        // It would write line ends into a value.
        encoder.outputFormatting.remove(.prettyPrinted)
        self.encoder = encoder
    }

    func line(of value: some Encodable) throws -> Data {
        var line = try encoder.encode(value)
        line.append(0x0A)
        return line
    }
}

/// The lines of a sequence, in pieces of about 64 KiB: each costs a switch of threads.
private struct EncodedPieces<Rows: Sequence & Sendable>: AsyncSequence, Sendable where Rows.Element: Encodable {
    typealias Element = Data
    static var size: Int { 64 << 10 }

    let rows: Rows
    let line: LineEncoder

    func makeAsyncIterator() -> Iterator {
        Iterator(rows: rows.makeIterator(), line: line)
    }

    struct Iterator: AsyncIteratorProtocol {
        var rows: Rows.Iterator
        let line: LineEncoder

        mutating func next() async throws -> Data? {
            var piece = Data()
            while piece.count < EncodedPieces.size, let row = rows.next() {
                try Task.checkCancellation()
                piece.append(try line.line(of: row))
            }
            return piece.isEmpty ? nil : piece
        }
    }
}

/// The lines of an asynchronous sequence. A line is sent as soon as the sender takes it; while the sender is busy, further
/// ones are gathered, because each piece costs a switch of threads.
private struct EncodedLines<Rows: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Rows.Element: Encodable & Sendable {
    typealias Element = Data

    let rows: Rows
    let line: LineEncoder

    /// Starts the task that reads the sequence. Releasing the iterator cancels it.
    func makeAsyncIterator() -> ByteStream.Iterator {
        let (space, hasSpace) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // It ends the wait for space, too.
        let buffer = ByteBuffer(limit: 64 << 10, onSpace: { hasSpace.yield() }, onAbandon: { hasSpace.finish() })
        let stream = ByteStream(buffer)
        let task = Task { [rows, line] in
            do {
                var spaces = space.makeAsyncIterator()
                for try await row in rows {
                    try line.line(of: row).withUnsafeBytes { buffer.write($0) }
                    while !buffer.hasSpace(), await spaces.next() != nil {}
                    if buffer.isAbandoned { break }
                }
                buffer.finish(nil)
            } catch {
                buffer.finish(error)
            }
        }
        hasSpace.onTermination = { _ in task.cancel() }
        return stream.makeAsyncIterator()
    }
}
