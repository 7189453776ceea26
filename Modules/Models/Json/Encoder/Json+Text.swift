#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Json: CustomStringConvertible {
    /// The value as JSON text in UTF-8.
    ///
    /// For a parsed or encoded value, the original bytes, white space included. For an element or member of such a
    /// value, and for a built value, newly written text without white space. Numbers and the order of members don't
    /// change.
    public var data: Data {
        switch storage {
        case .document(let document, node: 0): Data(bytes: document.bytes, count: document.count)
        case .encoded(let text): text.data
        default: serialized()
        }
    }

    /// The value written as JSON text in UTF-8, by default without white space.
    ///
    /// Numbers keep their characters. So do the strings of a parsed value, unless keys are sorted. Duplicate keys are
    /// all written.
    public func serialized(_ format: JsonEncoder.OutputFormatting = [.withoutEscapingSlashes]) -> Data {
        let owner = JsonWriter.Owner(format, capacity: 256)
        owner.writer.write(self, depth: 0)
        return owner.writer.data
    }

    /// The value as JSON text without white space.
    public var description: String { String(decoding: serialized(), as: UTF8.self) }

    /// Returns the same value with another provenance, which also applies to its elements and members. A parsed value isn't
    /// copied; a built one is written and parsed.
    package func with(provenance: (any JsonProvenance)?) throws(JsonError) -> Json {
        guard let (document, node) = view else {
            let limits = JsonLimits(maximumDepth: .max, maximumBytes: .max)
            return try Json(parsing: data, limits: limits, provenance: provenance)
        }
        return Json(.document(JsonDocument(of: document, provenance: provenance), node: node))
    }
}
