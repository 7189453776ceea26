public import Models

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Parses the elements of a JSON array one by one, from bytes in any pieces, without holding the document.
///
/// ```swift
/// var parser = JsonElementParser(at: "items")
/// for try await piece in bytes {
///     parser.push(piece)
///     while let element = try parser.next() { print(element) }
/// }
/// try parser.finish()
/// ```
///
/// The array is the document, or the value at a path of keys in nested objects. Keys are compared decoded, by their
/// Unicode scalars. Of equal keys in an object, the first counts.
///
/// An element is parsed as strictly as `Json(parsing:)` does. Outside of the elements these are checked: commas, colons
/// and brackets, that keys are strings, that each value begins as one, a depth of 512, and that only white space
/// follows the document. Not checked there are the digits of numbers, the letters of literals, and the characters of
/// strings. A byte order mark before the document is skipped.
///
/// A value without I/O, used by one task at a time. After a ``ValueStreamError`` each further call throws it again.
public struct JsonElementParser: Sendable {
    /// What may follow.
    private enum Expectation {
        case value
        /// After `[`.
        case valueOrEnd
        case key
        /// After `{`.
        case keyOrEnd
        case colon
        /// After a value in an array or object.
        case commaOrEnd
        /// Only white space, after the document.
        case nothing
    }

    /// A part of the document that pieces may cut.
    private enum Token {
        case element
        /// A string, number or literal outside of the elements.
        case scalar
        case key
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The keys of the array; empty if the array is the document.
    let path: [String]
    private let limit: Int
    /// The number of elements that were returned.
    public private(set) var count = 0

    private var piece = Data()
    /// The number of bytes of the piece that have been taken.
    private var position = 0
    /// The number of bytes before the piece.
    private var offset = 0

    private var expectation = Expectation.value
    /// The number of bytes of a byte order mark that have been skipped.
    private var markCount = 0
    /// Whether each open array or object outside of the elements is an object.
    private var containers: [Bool] = []
    private var token: Token?
    private var scanner = JsonValueScanner()
    /// The start of an element or of a key of the path, which a piece has cut.
    private var partial: [UInt8] = []
    /// Whether the key can be one of the path.
    private var isKeyCollected = false

    /// The number of keys of the path whose values are open.
    private var matched = 0
    /// Whether the next value is the document, or that of the last key that matched.
    private var isOnPath = true
    /// Whether the array was found.
    private var isFound = false
    /// Whether the array is open.
    private var isInArray = false
    private var failure: ValueStreamError?

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - path: the keys of the array, outermost first; none if the array is the document.
    ///   - limit: the longest element in bytes. A longer one is ``ValueStreamError/Code/elementTooLong``.
    public init(at path: String..., limit: Int = 1 << 20) {
        self.init(path: path, limit: limit)
    }

    package init(path: [String], limit: Int) {
        self.path = path
        self.limit = max(1, limit)
    }

    /// Adds the next bytes. Bytes that ``next()`` has not taken yet are copied.
    public mutating func push(_ bytes: Data) {
        offset += position
        piece = position < piece.count ? piece.dropFirst(position) + bytes : bytes
        position = 0
    }

    /// Returns the next element; nil where more bytes are needed, and after the last element.
    ///
    /// - Throws: ``ValueStreamError``.
    public mutating func next() throws -> Json? {
        let index = count
        return try next { element in
            do {
                return try Json(parsing: element)
            } catch {
                throw ValueStreamError(.invalidJson, "Element \(index): \(error).")
            }
        }
    }

    /// Checks the end of the document, after the last bytes and after ``next()`` has returned nil.
    ///
    /// - Throws: ``ValueStreamError``, with ``ValueStreamError/Code/incomplete`` if the document isn't complete.
    public func finish() throws {
        if let failure { throw failure }
        guard expectation == .nothing, position == piece.count else {
            throw ValueStreamError(
                .incomplete,
                offset + position == 0 ? "The body is empty." : "The body ended inside of the JSON document.")
        }
    }

    /// Passes the bytes of the next element to `read`, and returns the result. An element in one piece isn't copied.
    ///
    /// - Throws: ``ValueStreamError``; the error of `read`.
    package mutating func next<Value>(_ read: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
        if let failure { throw failure }
        guard position < piece.count else { return nil }
        // A copy, so that the closure may change this value. The bytes are shared.
        let bytes = piece
        do {
            return try bytes.withUnsafeBytes { try next(in: $0, read) }
        } catch let error as ValueStreamError {
            failure = error
            throw error
        }
    }

    private mutating func next<Value>(
        in bytes: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value? {
        while position < bytes.count {
            switch token {
            case .element: return try element(in: bytes, scanFrom: position, read)
            case .scalar: scalar(in: bytes, scanFrom: position)
            case .key: try key(in: bytes, scanFrom: position)
            case nil:
                let byte = bytes[position]
                if JsonBytes.isSpace(byte) {
                    position += 1
                } else {
                    try structure(byte)
                    // The byte may be the first one of a token.
                    switch token {
                    case .element: return try element(in: bytes, scanFrom: position + 1, read)
                    case .scalar: scalar(in: bytes, scanFrom: position + 1)
                    case .key: try key(in: bytes, scanFrom: position + 1)
                    case nil: position += 1
                    }
                }
            }
        }
        return nil
    }

    // MARK: - Tokens

    private mutating func element<Value>(
        in bytes: UnsafeRawBufferPointer, scanFrom start: Int, _ read: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value? {
        let end = scanner.end(in: bytes, from: start)
        let part = UnsafeRawBufferPointer(rebasing: bytes[position..<(end ?? bytes.count)])
        guard partial.count + part.count <= limit else { throw ValueStreamError.tooLong(.elementTooLong, limit) }
        position += part.count
        guard end != nil else {
            partial.append(contentsOf: part)
            return nil
        }
        token = nil
        expectation = .commaOrEnd
        count += 1
        if partial.isEmpty { return try read(part) }
        partial.append(contentsOf: part)
        defer { partial.removeAll(keepingCapacity: true) }
        return try partial.withUnsafeBytes(read)
    }

    private mutating func scalar(in bytes: UnsafeRawBufferPointer, scanFrom start: Int) {
        let end = scanner.end(in: bytes, from: start)
        position = end ?? bytes.count
        if end == nil { return }
        token = nil
        expectation = .commaOrEnd
    }

    private mutating func key(in bytes: UnsafeRawBufferPointer, scanFrom start: Int) throws {
        let end = scanner.end(in: bytes, from: start)
        if isKeyCollected {
            partial.append(contentsOf: bytes[position..<(end ?? bytes.count)])
            // The escaped form of a text is at most six times as long, `\u0061` for `a`, and has two quotes.
            if partial.count > path[matched].utf8.count * 6 + 2 {
                partial.removeAll(keepingCapacity: true)
                isKeyCollected = false
            }
        }
        position = end ?? bytes.count
        if end == nil { return }
        token = nil
        expectation = .colon
        guard isKeyCollected else { return }
        defer { partial.removeAll(keepingCapacity: true) }
        guard let text = try? Json(parsing: partial).string else { throw invalid("a key isn't a valid string") }
        // Not compared as String, for which equivalent spellings of a character are equal.
        guard text.utf8.elementsEqual(path[matched].utf8) else { return }
        matched += 1
        isOnPath = true
    }

    // MARK: - Structure

    /// Processes the first byte of a token, or a byte between tokens.
    private mutating func structure(_ byte: UInt8) throws {
        switch expectation {
        case .value: try value(byte)
        case .valueOrEnd where byte == UInt8(ascii: "]"): try close(byte)
        case .valueOrEnd: try value(byte)
        case .keyOrEnd where byte == UInt8(ascii: "}"): try close(byte)
        case .key, .keyOrEnd:
            guard byte == UInt8(ascii: "\""), scanner.start(byte) else { throw invalid("a key is expected") }
            token = .key
            isKeyCollected = !isFound && containers.count == matched + 1
        case .colon:
            guard byte == UInt8(ascii: ":") else { throw invalid("a colon is expected") }
            expectation = .value
        case .commaOrEnd:
            if byte == UInt8(ascii: ",") {
                expectation = containers.last == true ? .key : .value
            } else {
                try close(byte)
            }
        case .nothing: throw invalid("more than white space follows the document")
        }
    }

    private mutating func value(_ byte: UInt8) throws {
        if isOnPath { return try valueOnPath(byte) }
        switch byte {
        case _ where isInArray:
            guard scanner.start(byte) else { throw invalid("an element is expected") }
            token = .element
        case UInt8(ascii: "{"): try open(isObject: true)
        case UInt8(ascii: "["): try open(isObject: false)
        default:
            guard scanner.start(byte) else { throw invalid("a value is expected") }
            token = .scalar
        }
    }

    /// Processes the first byte of the document, of an object on the path, or of the array.
    private mutating func valueOnPath(_ byte: UInt8) throws {
        if offset + position == markCount, markCount < 3, byte == Self.byteOrderMark[markCount] {
            markCount += 1
            return
        }
        let isLast = matched == path.count
        if markCount == 1 || markCount == 2 { throw invalid("a value is expected") }
        guard byte == (isLast ? UInt8(ascii: "[") : UInt8(ascii: "{")) else {
            guard scanner.start(byte) else { throw invalid("a value is expected") }
            let kind = isLast ? "array." : "object, so it has no member \"\(path[matched])\"."
            throw ValueStreamError(.invalidJson, "\(place(of: matched)) is no \(kind)")
        }
        try open(isObject: !isLast)
        isOnPath = false
        (isFound, isInArray) = (isLast, isLast)
    }

    private mutating func open(isObject: Bool) throws {
        guard containers.count < JsonLimits().maximumDepth else {
            throw invalid("it is nested deeper than \(JsonLimits().maximumDepth)")
        }
        containers.append(isObject)
        expectation = isObject ? .keyOrEnd : .valueOrEnd
    }

    /// Closes the innermost array or object, which only its own kind of bracket does.
    private mutating func close(_ byte: UInt8) throws {
        guard let isObject = containers.last, byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw invalid("a comma or the end of the \(containers.last == true ? "object" : "array") is expected")
        }
        if !isFound, containers.count == matched + 1 {
            throw ValueStreamError(.invalidJson, "\(place(of: matched)) has no member \"\(path[matched])\".")
        }
        containers.removeLast()
        isInArray = false
        expectation = containers.isEmpty ? .nothing : .commaOrEnd
    }

    // MARK: - Errors

    /// The value at the first keys of the path, in words.
    private func place(of keys: Int) -> String {
        keys == 0 ? "The document" : "The value at \"\(path[..<keys].joined(separator: "."))\""
    }

    private func invalid(_ what: String) -> ValueStreamError {
        ValueStreamError(.invalidJson, "The body is no valid JSON at byte \(offset + position): \(what).")
    }
}
