internal import Models
import NodeCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension URL {
    /// The same absolute URL as ``UrlText`` writes it: without a base, and with the host in ASCII.
    package var normalized: URL {
        Origin(plain: self) == nil || baseURL != nil ? URL(parsing: absoluteString) ?? self : self
    }

    /// The URL that a reference of a response from this URL means (RFC 3986 §5.2), without the fragment of this URL; nil
    /// for a text that is no reference. An empty reference means this URL.
    package func resolving(_ reference: String) -> URL? {
        guard !reference.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), var base = UrlText(absoluteString.utf8)
        else { return nil }
        base.fragment = nil
        if reference.isEmpty { return URL(base) }
        return UrlText(reference.utf8).flatMap { URL(base.resolving($0)) }
    }
}
