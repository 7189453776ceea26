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

    /// Sends an asynchronous sequence of values as newline-delimited JSON, `application/x-ndjson`, each line as soon as
    /// there is a value.
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

/// The lines of an asynchronous sequence, one by one.
private struct EncodedLines<Rows: AsyncSequence & Sendable>: AsyncSequence, Sendable where Rows.Element: Encodable {
    typealias Element = Data

    let rows: Rows
    let line: LineEncoder

    func makeAsyncIterator() -> Iterator {
        Iterator(rows: rows.makeAsyncIterator(), line: line)
    }

    struct Iterator: AsyncIteratorProtocol {
        var rows: Rows.AsyncIterator
        let line: LineEncoder

        mutating func next() async throws -> Data? {
            try await rows.next().map { try line.line(of: $0) }
        }
    }
}
