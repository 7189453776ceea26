import HttpMessages
import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes parts as `multipart/form-data` (RFC 7578, RFC 2046 §5.1, WHATWG HTML "multipart form data").
struct MultipartEncoder {
    let boundary: String

    /// Creates a random boundary, which no content can contain on purpose.
    init() {
        var generator = SystemRandomNumberGenerator()
        let random = [generator.next() as UInt64, generator.next()]
        boundary = "netchain-" + random.map { String($0, radix: 16) }.joined()
    }

    init(boundary: String) {
        self.boundary = boundary
    }

    var contentType: String {
        "multipart/form-data; boundary=\(boundary)"
    }

    /// The body; the sender reads files from disk while it sends them.
    func encode(_ parts: [MultipartPart]) throws -> RequestBody {
        var segments: [RequestBody.Segment] = []
        var text = ""
        func flush() {
            if !text.isEmpty { segments.append(.data(Data(text.utf8))) }
            text = ""
        }
        for part in parts {
            text += "--\(boundary)\r\n" + header(of: part) + "\r\n"
            flush()
            switch part.content {
            case .data(let data): segments.append(.data(data))
            case .file(let url): segments.append(.file(url, size: try RequestBody.fileSize(url)))
            }
            text += "\r\n"
        }
        text += "--\(boundary)--\r\n"
        flush()
        return RequestBody(segments: segments)
    }

    private func header(of part: MultipartPart) -> String {
        var header = "Content-Disposition: form-data; name=\"\(Self.escape(part.name))\""
        if let filename = part.filename { header += "; filename=\"\(Self.escape(filename))\"" }
        header += "\r\n"
        if let contentType = part.contentType {
            header += "Content-Type: \(contentType.filter { !$0.isNewline && $0 != "\0" })\r\n"
        }
        return header
    }

    /// Percent-encodes quotes and line breaks in a quoted name, as browsers do (WHATWG HTML). Other text stays UTF-8.
    private static func escape(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
