import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON text that was written by an encoder, and so is valid, with its tape once somebody has looked inside.
final class JsonEncodedText: Sendable {
    let data: Data
    private let parsed = Mutex<JsonDocument?>(nil)

    init(_ data: Data) {
        self.data = data
    }

    /// The text's document, made at the first call; nil if it is too large for one.
    var document: JsonDocument? {
        parsed.withLock { document in
            if document == nil {
                let limits = JsonLimits(maximumDepth: .max, maximumBytes: .max)
                document = data.withUnsafeBytes { try? JsonDocument(parsing: $0, limits: limits) }
            }
            return document
        }
    }
}
