#if os(Linux)
import Glibc

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An origin and how it is written at the beginning of plain URLs: most senders have one alone, and its host needn't be read
/// from each request's URL and put into a text anew.
final class KnownOrigin: Sendable {
    let origin: Origin
    private let text: [UInt8]

    /// nil where the URL doesn't begin with the origin as it is usually written, as `http://host:080` doesn't.
    init?(_ origin: Origin, of url: URL) {
        let usual = "\(origin.scheme)://\(origin.host)"
        self.origin = origin
        // The longer one first: both may begin the URL.
        for text in ["\(usual):\(origin.port)", usual] where Self.isOrigin(Array(text.utf8), of: url) {
            self.text = Array(text.utf8)
            return
        }
        return nil
    }

    /// Whether it is the origin of `url`, and that a plain one.
    func isOrigin(of url: URL) -> Bool {
        Self.isOrigin(text, of: url)
    }

    private static func isOrigin(_ text: [UInt8], of url: URL) -> Bool {
        let isIt = url.absoluteString.utf8.withContiguousStorageIfAvailable { url -> Bool in
            guard let start = url.baseAddress, url.count >= text.count, memcmp(start, text, text.count) == 0
            else { return false }
            guard url.count > text.count else { return true }
            // `/`, `?` or `#`
            let next = url[text.count]
            return next == 0x2F || next == 0x3F || next == 0x23
        }
        return isIt ?? false
    }
}
#endif
