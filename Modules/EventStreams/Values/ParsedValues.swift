#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Parses values from bytes, in any pieces in which they arrive.
package protocol ValueParser<Value>: Sendable {
    associatedtype Value: Sendable

    /// Adds the next bytes, after ``next()`` has returned nil.
    mutating func push(_ bytes: Data)

    /// Returns the next value; nil where more bytes are needed.
    mutating func next() throws -> Value?

    /// Checks the end, after the last bytes and after ``next()`` has returned nil. Returns the last value where only the
    /// end of the body completes it.
    mutating func finish() throws -> Value?
}

/// The values of a body, parsed as its pieces arrive.
package struct ParsedValues<Parser: ValueParser>: ValueSource {
    private var parser: Parser
    /// nil after the last piece.
    private var body: PieceReader?

    /// Creates the source. Releasing it cancels the transfer of the body.
    package init(of body: PieceReader, _ parser: Parser) {
        self.parser = parser
        self.body = body
    }

    package mutating func ready() throws -> Parser.Value? {
        body == nil ? nil : try parser.next()
    }

    package mutating func next() async throws -> Parser.Value? {
        while let body {
            if let value = try parser.next() { return value }
            guard let piece = try await body.next() else {
                self.body = nil
                return try parser.finish()
            }
            parser.push(piece)
        }
        return nil
    }
}
