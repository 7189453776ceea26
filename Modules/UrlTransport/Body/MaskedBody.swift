import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestBody {
    /// The body with its secrets masked: runs of bytes in memory, each as one piece, and files, which stay as they are.
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
    /// A body with its secrets masked by the rules for its content type; byte for byte where there are none.
    package func body(_ data: Data, contentType: String) -> Data {
        if isOff { return data }
        if let text = String(validating: data, as: UTF8.self) {
            let masked = body(text, contentType: contentType)
            return masked == text ? data : Data(masked.utf8)
        }
        // Each byte stands for the character of its number, so that any bytes are a text and come back unchanged.
        var text = ""
        text.unicodeScalars.append(contentsOf: data.lazy.map { Unicode.Scalar($0) })
        let masked = self.body(text, contentType: contentType)
        return masked == text ? data : Data(masked.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    private func body(_ text: String, contentType: String) -> String {
        let type = contentType.prefix { $0 != ";" }.lowercased()
        if type == "application/x-www-form-urlencoded" { return form(text) }
        if type.contains("json") { return json(text) }
        if type.hasPrefix("multipart/") { return multipart(text, contentType: contentType) }
        return self.text(text)
    }
}
