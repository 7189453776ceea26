import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON text that an encoder wrote, so it is valid. It is parsed at the first access to its content.
final class JsonEncodedText: Sendable {
    let data: Data
    private let parsed = Mutex<JsonDocument?>(nil)

    init(_ data: Data) {
        self.data = data
    }

    /// The text's document, created by the first call; nil if the text is too large for one.
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
