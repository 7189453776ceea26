import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestBody {
    /// The body with its secrets masked. Adjacent bytes in memory become one piece; files and streams stay as they are.
    package func pieces(masked redaction: Redaction, contentType: String) -> [Segment] {
        var pieces: [Segment] = []
        for segment in segments {
            if case .data(let data) = segment, case .data(let before) = pieces.last {
                pieces[pieces.count - 1] = .data(before + data)
            } else {
                pieces.append(segment)
            }
        }
        return pieces.map { piece in
            guard case .data(let data) = piece else { return piece }
            return .data(redaction.body(data, contentType: contentType))
        }
    }
}

extension Redaction {
    /// The body with its secrets masked by the rules for its content type. Without secrets it is returned byte for
    /// byte.
    package func body(_ data: Data, contentType: String) -> Data {
        if isOff { return data }
        if let text = String(validating: data, as: UTF8.self) {
            let masked = body(text, contentType: contentType)
            return masked == text ? data : Data(masked.utf8)
        }
        // Not UTF-8: each byte becomes the Unicode scalar of the same number, which maps any bytes to text and back.
        var text = ""
        text.unicodeScalars.append(contentsOf: data.lazy.map { Unicode.Scalar($0) })
        let masked = self.body(text, contentType: contentType)
        return masked == text ? data : Data(masked.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    private func body(_ text: String, contentType: String) -> String {
        let type = contentType.lowercasedMediaType
        if type == "application/x-www-form-urlencoded" { return form(text) }
        if type.contains("json") { return json(text) }
        if type.hasPrefix("multipart/") { return multipart(text, contentType: contentType) }
        return self.text(text)
    }
}

extension String {
    /// The media type of this `Content-Type`, in lower case, without parameters and the blanks before them (RFC 9110
    /// §8.3.1).
    var lowercasedMediaType: String {
        Substring(utf8.prefix { $0 != UInt8(ascii: ";") }).trimmed.lowercased()
    }
}
