#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON value of any kind: object, array, string, number, `true`, `false` or `null`.
///
/// A value is either a view of the bytes that it was parsed from, or built from literals and Swift values. A view reads
/// strings and numbers on access. An element or member of a parsed value keeps the whole document alive.
///
/// Parsed and built values compare equal by the same rules:
///
/// - Numbers are compared by their mathematical value.
/// - Strings and keys are compared by their Unicode scalars (RFC 8259, section 8.3).
/// - Objects are compared without regard to the order of their members.
///
/// ```swift
/// var user: Json = ["name": "Ada", "age": 36, "tags": ["math", nil]]
/// user["age"] = 37
/// let name = user["name"]?.string
/// ```
public struct Json: Sendable {
    enum Storage: Sendable {
        case document(JsonDocument, node: Int)
        /// Text that a `JsonEncoder` wrote; it is parsed at the first access to its content.
        case encoded(JsonEncodedText)
        case null
        case bool(Bool)
        case integer(Int64)
        /// Above `Int64.max` only.
        case unsigned(UInt64)
        /// Finite only.
        case double(Double)
        /// A number as JSON text that none of the other cases holds exactly.
        case number(String)
        case string(String)
        case array([Json])
        case object(JsonObject)
    }

    var storage: Storage

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// An empty object, which also represents an empty body.
    public init() {
        storage = .object(JsonObject())
    }

    /// `null`.
    public static let null = Json(.null)

    // MARK: - Parsing

    /// Parses a JSON text (RFC 8259) in one pass.
    ///
    /// - Throws: ``JsonError``, with the position, if the text is not valid JSON or exceeds the limits.
    public init(parsing data: Data, limits: JsonLimits = JsonLimits()) throws(JsonError) {
        try self.init(parsing: data, limits: limits, provenance: nil)
    }

    /// Parses a JSON text and keeps its provenance, which decoding errors contain.
    package init(
        parsing data: Data, limits: JsonLimits = JsonLimits(), provenance: (any JsonProvenance)?
    ) throws(JsonError) {
        let document = data.withUnsafeBytes { bytes in
            Result { () throws(JsonError) in try JsonDocument(parsing: bytes, limits: limits, provenance: provenance) }
        }
        storage = .document(try document.get(), node: 0)
    }

    /// Parses a copy of a JSON text.
    package init(parsing text: UnsafeRawBufferPointer, limits: JsonLimits = JsonLimits()) throws(JsonError) {
        storage = .document(try JsonDocument(parsing: text, limits: limits), node: 0)
    }

    /// Parses a JSON text (RFC 8259) in one pass.
    ///
    /// - Throws: ``JsonError``, with the position, if the text is not valid JSON or exceeds the limits.
    public init(parsing bytes: [UInt8], limits: JsonLimits = JsonLimits()) throws(JsonError) {
        let document = bytes.withUnsafeBytes { bytes in
            Result { () throws(JsonError) in try JsonDocument(parsing: bytes, limits: limits) }
        }
        storage = .document(try document.get(), node: 0)
    }

    /// Parses a JSON text (RFC 8259) in one pass.
    ///
    /// - Throws: ``JsonError``, with the position, if the text is not valid JSON or exceeds the limits.
    public init(parsing text: String, limits: JsonLimits = JsonLimits()) throws(JsonError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}
