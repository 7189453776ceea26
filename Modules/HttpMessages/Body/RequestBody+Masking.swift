import Logging

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension RequestBody {
    /// The body with its secrets masked. Adjacent bytes in memory become one piece; files and streams stay as they are.
    package func pieces(masked redaction: Redaction, contentType: String) -> [Segment] {
        var pieces: [Segment] = []
        var joined = Data()
        func flush() {
            if !joined.isEmpty { pieces.append(.data(redaction.body(joined, contentType: contentType))) }
            joined = Data()
        }
        for segment in segments {
            if case .data(let data) = segment {
                joined.append(data)
            } else {
                flush()
                pieces.append(segment)
            }
        }
        flush()
        return pieces
    }
}

extension Redaction {
    /// The body with its secrets masked by the rules for its content type. Without secrets it is returned byte for
    /// byte.
    package func body(_ data: Data, contentType: String) -> Data {
        isOff ? data : Data(body(Array(data), contentType: contentType))
    }
}

extension String {
    /// The media type of this `Content-Type`, in lower case, without parameters and the blanks before them (RFC 9110
    /// §8.3.1).
    package var lowercasedMediaType: String {
        Substring(utf8.prefix { $0 != UInt8(ascii: ";") }).trimmed.lowercased()
    }
}
