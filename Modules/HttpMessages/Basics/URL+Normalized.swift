internal import Models

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
}
