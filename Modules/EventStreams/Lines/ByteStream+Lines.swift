public import HttpMessages
public import Models
public import ResponseProcessing

extension ByteStream {
    /// The lines of the body as text, of at most 1 MiB each.
    ///
    /// ```swift
    /// for try await line in try await api.get("log").stream().value.lines { print(line) }
    /// ```
    ///
    /// - A line ends with LF or CR LF, which aren't part of it. After the last line the end may be missing.
    /// - Bytes that aren't UTF-8 become U+FFFD. A byte order mark before the first line is left out.
    /// - A longer line is ``ValueStreamError/Code/lineTooLong``. The body's own errors are thrown unchanged.
    public var lines: ValueStream<String> { lines(limit: 1 << 20) }

    /// The lines of the body as text: see `lines`.
    ///
    /// - Parameter limit: the longest line in bytes, without its end.
    public func lines(limit: Int) -> ValueStream<String> {
        ValueStream(ParsedValues(of: PieceReader(self), TextLineParser(limit: limit)))
    }

    /// The values of newline-delimited JSON, one in each line. Blank lines are skipped.
    ///
    /// A line that is no JSON text, or no such value, is a `DecodingError` that names the line. A line that is too long is
    /// ``ValueStreamError/Code/lineTooLong``.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - decoder: decodes each line.
    ///   - limit: the longest line in bytes, without its end.
    public func lines<Row: Decodable & Sendable>(
        of type: Row.Type, decoder: JsonDecoder = .default, limit: Int = 1 << 20
    ) -> ValueStream<Row> {
        let rows = RowDecoder(decoding: type, by: decoder, of: nil)
        return ValueStream(ParsedValues(of: PieceReader(self), JsonLineParser(rows, limit: limit)))
    }
}

extension ApiResponse where Value == ByteStream {
    /// The lines of the body as text: those of the stream.
    ///
    /// ```swift
    /// for try await line in try await api.get("log").stream().lines { print(line) }
    /// ```
    public var lines: ValueStream<String> { value.lines }
}
