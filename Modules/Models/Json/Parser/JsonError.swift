import NodeCore

/// Why a text is not valid JSON or exceeds the limits, and where.
///
/// The description contains no text of the document.
public struct JsonError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong. More codes may be added.
    public struct Code: ErrorCode {
        /// The code in words.
        package let name: String

        /// The text ended inside a value, or held nothing but white space.
        public static let unexpectedEnd = Code(name: "the document ends too early")
        /// A character is not allowed at its position.
        public static let unexpectedCharacter = Code(name: "unexpected character")
        /// Something other than white space follows the value.
        public static let trailingCharacters = Code(name: "characters after the end of the document")
        /// A number has a form that RFC 8259, section 6, does not allow.
        public static let invalidNumber = Code(name: "invalid number")
        /// A string has an escape sequence that RFC 8259, section 7, does not define.
        public static let invalidEscape = Code(name: "invalid escape sequence")
        /// A `\u` escape is one half of a surrogate pair without the other half.
        public static let loneSurrogate = Code(name: "surrogate without its pair")
        /// A string has an unescaped control character below U+0020, NUL included.
        public static let controlCharacter = Code(name: "control character in a string")
        /// A string has bytes that are not UTF-8.
        public static let invalidUtf8 = Code(name: "invalid UTF-8")
        /// The document begins with a byte order mark, which RFC 8259, section 8.1, forbids senders to add.
        public static let byteOrderMark = Code(name: "byte order mark")
        /// Arrays and objects are nested deeper than ``JsonLimits/maximumDepth``.
        public static let tooDeep = Code(name: "nested too deep")
        /// The document is larger than ``JsonLimits/maximumBytes``.
        public static let tooLarge = Code(name: "document too large")
    }

    /// What is wrong.
    public let code: Code
    /// The offset of the offending byte from the start of the document, counted from 0.
    public let offset: Int
    /// The line of that byte, counted from 1; lines end with a line feed.
    public let line: Int
    /// The position of that byte in its line in bytes, counted from 1.
    public let column: Int

    init(_ code: Code, offset: Int, line: Int, column: Int) {
        self.code = code
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// The code and the position; no text of the document.
    public var description: String {
        "Invalid JSON: \(code) at line \(line), column \(column) (byte \(offset))"
    }
}
