#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Parses queries and URL-encoded forms.
enum FormParser {
    /// The decoded items of `text`, in order; empty ones between two `&` are left out.
    static func items(of text: String) -> [URLQueryItem] {
        text.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            let value = item.dropFirst(name.count + 1)
            return URLQueryItem(
                name: name.percentDecoded(plusIsSpace: true), value: value.percentDecoded(plusIsSpace: true))
        }
    }
}
