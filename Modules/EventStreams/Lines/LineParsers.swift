internal import Models

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Parses the lines of a text.
package struct TextLineParser: ValueParser {
    private var splitter: LineSplitter

    package init(limit: Int) {
        splitter = LineSplitter(.lineFeed, limit: limit)
    }

    package mutating func push(_ bytes: Data) {
        splitter.push(bytes)
    }

    package mutating func next() throws -> String? {
        try naming(&splitter) { try $0.next { String(decoding: $0, as: UTF8.self) } }
    }

    package mutating func finish() throws -> String? {
        try naming(&splitter) { try $0.last { String(decoding: $0, as: UTF8.self) } }
    }
}

/// Parses newline-delimited JSON: a value in each line. Blank lines are skipped.
package struct JsonLineParser<Row: Sendable>: ValueParser {
    private var splitter: LineSplitter
    private let decoder: RowDecoder<Row>

    package init(_ decoder: RowDecoder<Row>, limit: Int) {
        splitter = LineSplitter(.lineFeed, limit: limit)
        self.decoder = decoder
    }

    package mutating func push(_ bytes: Data) {
        splitter.push(bytes)
    }

    package mutating func next() throws -> Row? {
        try row { [decoder] splitter in try splitter.next { try Self.row($0, decoder) } }
    }

    package mutating func finish() throws -> Row? {
        try row { [decoder] splitter in
            do {
                return try splitter.last { try Self.row($0, decoder) }
            } catch let error as DecodingError where error.isOfInvalidJson {
                // A body that ends with its connection can be cut without an error of the sender.
                throw ValueStreamError(.incomplete, "The body ended inside of line \(splitter.count).")
            }
        }
    }

    private mutating func row(_ body: (inout LineSplitter) throws -> Row?) throws -> Row? {
        do {
            return try naming(&splitter, body)
        } catch {
            throw decoder.naming(error, "line \(splitter.count)")
        }
    }

    /// The value of a line; nil for a blank one.
    private static func row(_ line: UnsafeRawBufferPointer, _ decoder: RowDecoder<Row>) throws -> Row? {
        // Few lines begin with white space, so that few are searched.
        guard let first = line.first else { return nil }
        if JsonBytes.isSpace(first), line.allSatisfy(JsonBytes.isSpace) { return nil }
        return try decoder.decode(line)
    }
}

/// Calls `body`, and says in the error of a line that is too long which one it is.
private func naming<Value>(
    _ splitter: inout LineSplitter, _ body: (inout LineSplitter) throws -> Value
) throws -> Value {
    do {
        return try body(&splitter)
    } catch let error as ValueStreamError where error.code == .lineTooLong {
        throw ValueStreamError(
            .lineTooLong, "Line \(splitter.count + 1) is longer than \(splitter.limit) bytes, the limit of the stream.")
    }
}

extension DecodingError {
    /// Whether the text is no JSON, in whatever type it was to be decoded.
    fileprivate var isOfInvalidJson: Bool {
        guard case .dataCorrupted(let context) = self else { return false }
        return context.underlyingError is JsonError
    }
}
