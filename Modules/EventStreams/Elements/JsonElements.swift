internal import Models

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Decodes the elements of a JSON array.
package struct JsonElements<Row: Sendable>: ValueParser {
    private var parser: JsonElementParser
    private let decoder: RowDecoder<Row>

    package init(_ decoder: RowDecoder<Row>, at path: [String], limit: Int) {
        parser = JsonElementParser(path: path, limit: limit)
        self.decoder = decoder
    }

    package mutating func push(_ bytes: Data) {
        parser.push(bytes)
    }

    package mutating func next() throws -> Row? {
        do {
            return try parser.next { [decoder] in try decoder.decode($0) }
        } catch let error as DecodingError {
            let index = parser.count - 1
            throw decoder.naming(error.ofElement(index, at: parser.path), "element \(index)")
        } catch {
            throw decoder.naming(error, "")
        }
    }

    package mutating func finish() throws -> Row? {
        do {
            try parser.finish()
            return nil
        } catch {
            throw decoder.naming(error, "")
        }
    }
}
