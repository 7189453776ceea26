#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Parses a JSON text sequence (RFC 7464): records that begin with RS (U+001E) and end with a line feed.
///
/// A record is delivered when its text is complete, without waiting for the next one:
///
/// - An array, an object or a string is complete with its last byte.
/// - A number or a literal is complete with the white space that follows it. Without that it is truncated (§2.4).
///
/// Only white space may precede the first RS and follow a text. A record without text is skipped (§2.1). The text may
/// contain line ends.
package struct JsonSequenceParser<Row: Sendable>: ValueParser {
    /// The position in the sequence.
    private enum Position {
        /// Before the first record, or after the text of a record.
        case betweenTexts
        /// After RS.
        case recordStart
        case text
    }

    private static var separator: UInt8 { 0x1E }

    private let decoder: RowDecoder<Row>
    private let limit: Int

    private var position = Position.betweenTexts
    private var scanner = JsonValueScanner()
    private var piece = Data()
    /// The number of bytes of the piece that have been taken.
    private var taken = 0
    /// Where the next RS of the piece is, or its end. It is valid from `taken` on.
    private var nextSeparator = 0
    /// The start of a text that a piece has cut.
    private var partial: [UInt8] = []
    /// The number of records with a text, the last one included.
    private var count = 0

    package init(_ decoder: RowDecoder<Row>, limit: Int) {
        self.decoder = decoder
        self.limit = max(1, limit)
    }

    package mutating func push(_ bytes: Data) {
        (piece, taken, nextSeparator) = (bytes, 0, -1)
    }

    package mutating func next() throws -> Row? {
        guard taken < piece.count else { return nil }
        // A copy, so that the closure may change this value. The bytes are shared.
        let bytes = piece
        do {
            return try bytes.withUnsafeBytes { try next(in: $0) }
        } catch {
            throw decoder.naming(error, "record \(count)")
        }
    }

    package mutating func finish() throws -> Row? {
        guard position == .text else { return nil }
        let error = ValueStreamError(.incomplete, "The body ended inside of record \(count).")
        throw decoder.naming(error, "record \(count)")
    }

    private mutating func next(in bytes: UnsafeRawBufferPointer) throws -> Row? {
        while taken < bytes.count {
            let byte = bytes[taken]
            switch position {
            case .betweenTexts:
                guard byte == Self.separator || JsonBytes.isSpace(byte) else {
                    throw ValueStreamError(
                        .invalidJson,
                        count == 0
                            ? "The sequence doesn't begin with a record separator (U+001E)."
                            : "Record \(count) has more than one JSON text.")
                }
                if byte == Self.separator { position = .recordStart }
                taken += 1
            case .recordStart:
                if byte == Self.separator || JsonBytes.isSpace(byte) {
                    taken += 1
                    continue
                }
                count += 1
                guard scanner.start(byte) else {
                    throw ValueStreamError(.invalidJson, "Record \(count) doesn't begin as a JSON text does.")
                }
                position = .text
                if let row = try text(in: bytes, scanFrom: taken + 1) { return row }
            case .text:
                if let row = try text(in: bytes, scanFrom: taken) { return row }
            }
        }
        piece = Data()
        return nil
    }

    /// Reads a text on from `taken`; nil if the piece ends before it does.
    private mutating func text(in bytes: UnsafeRawBufferPointer, scanFrom start: Int) throws -> Row? {
        if nextSeparator < taken { nextSeparator = bytes.index(of: Self.separator, from: taken) }
        let end = scanner.end(in: .init(rebasing: bytes[..<nextSeparator]), from: start)
        let part = UnsafeRawBufferPointer(rebasing: bytes[taken..<(end ?? nextSeparator)])
        guard partial.count + part.count <= limit else {
            throw ValueStreamError(
                .elementTooLong, "Record \(count) is longer than \(limit) bytes, the limit of the stream.")
        }
        guard let end else {
            guard nextSeparator == bytes.count else {
                throw ValueStreamError(.invalidJson, "Another record begins inside of record \(count).")
            }
            partial.append(contentsOf: part)
            taken = bytes.count
            return nil
        }
        taken = end
        if scanner.isScalar, !JsonBytes.isSpace(bytes[end]) {
            throw ValueStreamError(
                .invalidJson, "Record \(count) has a number or literal without white space after it.")
        }
        position = .betweenTexts
        if partial.isEmpty { return try decoder.decode(part) }
        partial.append(contentsOf: part)
        defer { partial.removeAll(keepingCapacity: true) }
        return try partial.withUnsafeBytes { try decoder.decode($0) }
    }
}
