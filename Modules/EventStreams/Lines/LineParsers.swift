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
        do {
            return try splitter.next { String(decoding: $0, as: UTF8.self) }
        } catch {
            throw splitter.naming(error)
        }
    }

    package mutating func finish() throws -> String? {
        do {
            return try splitter.last { String(decoding: $0, as: UTF8.self) }
        } catch {
            throw splitter.naming(error)
        }
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
        var row: Row?
        do {
            // The splitter returns a Boolean and not the row, because generic code that the compiler doesn't specialize looks
            // up the metadata of `Row?` in each function.
            _ = try splitter.next { [decoder] line -> Bool? in
                row = try Self.row(line, decoder)
                return row == nil ? nil : true
            }
        } catch {
            throw named(error)
        }
        return row
    }

    package mutating func finish() throws -> Row? {
        do {
            return try splitter.last { [decoder] in try Self.row($0, decoder) }
        } catch let error as DecodingError where error.isOfCutJson {
            // A body that ends with its connection can be cut without an error of the sender.
            throw named(ValueStreamError(.incomplete, "The body ended inside of line \(splitter.count)."))
        } catch {
            throw named(error)
        }
    }

    private func named(_ error: any Error) -> any Error {
        decoder.naming(splitter.naming(error), "line \(splitter.count)")
    }

    /// The value of a line; nil for a blank one.
    private static func row(_ line: UnsafeRawBufferPointer, _ decoder: RowDecoder<Row>) throws -> Row? {
        // Few lines begin with white space, so that few are searched.
        guard let first = line.first else { return nil }
        if JsonBytes.isSpace(first), line.allSatisfy(JsonBytes.isSpace) { return nil }
        return try decoder.decode(line)
    }
}

extension LineSplitter {
    /// The error of a line that is too long, with its number; other errors unchanged.
    fileprivate func naming(_ error: any Error) -> any Error {
        guard (error as? ValueStreamError)?.code == .lineTooLong else { return error }
        return ValueStreamError(
            .lineTooLong, "Line \(count + 1) is longer than \(limit) bytes, the limit of the stream.")
    }
}

extension DecodingError {
    /// Whether the text is the start of a JSON text, in whatever type it was to be decoded.
    fileprivate var isOfCutJson: Bool {
        guard case .dataCorrupted(let context) = self else { return false }
        return (context.underlyingError as? JsonError)?.code == .unexpectedEnd
    }
}
