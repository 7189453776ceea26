package import NodeCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension URL {
    /// Creates a URL or a relative reference from foreign text as ``UrlText`` reads it; nil for a text that is none.
    ///
    /// Only this file calls `URL(string:)`. It escapes a whole component again, its escapes included, as soon as one
    /// character of it needs that. `Scripts/check.sh layers` forbids it elsewhere.
    package init?(parsing text: String) {
        guard let text = UrlText(text.utf8) else { return nil }
        self.init(text)
    }

    /// Creates a URL of exactly this text.
    package init?(_ text: UrlText) {
        self.init(string: String(decoding: text.bytes, as: UTF8.self), encodingInvalidCharacters: false)
    }

    /// Creates a URL from text that is escaped; nil for any other text. Faster than ``init(parsing:)``.
    package init?(escaped text: String) {
        self.init(string: text, encodingInvalidCharacters: false)
    }
}
