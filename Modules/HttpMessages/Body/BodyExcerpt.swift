import Logging

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Describes a body for a log. Text is shown up to a limit, with its secrets masked. Any other body is shown by its
/// type and size.
enum BodyExcerpt {
    /// The longest excerpt, in Unicode scalars. The rest of a longer text is left out.
    private static let limit = 4096
    /// The number of bytes that are inspected. It exceeds the excerpt, so that a secret at its end is masked as a
    /// whole.
    private static let window = 16 << 10

    /// - Parameter total: the size of the body in bytes, of which `start` is the beginning; nil when not known.
    private static func text(
        of start: Data, total: Int64?, contentType: String, _ redaction: Redaction
    ) -> String {
        let type = contentType.lowercasedMediaType
        let size = total.map { "\($0) bytes" } ?? "unknown length"
        guard !isBinary(type), let text = decoded(start) else {
            return "(\(size) of \(type.isEmpty ? "binary data" : type))"
        }
        let masked = String(decoding: redaction.body(Data(text.utf8), contentType: contentType), as: UTF8.self)
        let shown = masked.unicodeScalars.prefix(limit)
        if total == Int64(start.count), shown.endIndex == masked.unicodeScalars.endIndex { return masked }
        return "\(String(shown))… (\(size) in all)"
    }

    private static func isBinary(_ type: String) -> Bool {
        ["image/", "audio/", "video/", "font/", "application/octet-stream"].contains { type.hasPrefix($0) }
    }

    /// The bytes as text. Returns nil when they are not UTF-8, or contain ASCII control characters other than tab, LF
    /// and CR, which could control a terminal. An incomplete character at the end is left out.
    private static func decoded(_ bytes: Data) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) else {
            return nil
        }
        for cut in 0...min(3, bytes.count) {
            if let text = String(validating: bytes.dropLast(cut), as: UTF8.self) { return text }
        }
        return nil
    }

    static func of(_ data: Data, contentType: String?, _ redaction: Redaction) -> String {
        if data.isEmpty { return "" }
        return text(
            of: data.prefix(window), total: Int64(data.count), contentType: contentType ?? "", redaction)
    }

    static func of(_ body: RequestBody, contentType: String?, _ redaction: Redaction) -> String {
        if body.isEmpty { return "" }
        let contentType = contentType ?? ""
        if let form = MultipartOutline(body, contentType: contentType) { return form.text(redaction) }
        let total: Int64? = body.length
        var start = Data()
        for segment in body.segments where start.count < window {
            guard case .data(let data) = segment else { return pieces(of: body, redaction) }
            start += data.prefix(window - start.count)
        }
        return text(of: start, total: total, contentType: contentType, redaction)
    }

    /// Describes a body that is not all in memory, without reading files or streams.
    private static func pieces(of body: RequestBody, _ redaction: Redaction) -> String {
        let pieces = body.segments.map { segment in
            if case .file(let slice) = segment {
                let part = slice.isWhole ? "" : ", from byte \(slice.range.lowerBound)"
                return "file \(redaction.text(slice.url.lastPathComponent))\(part), \(slice.size) bytes"
            }
            if case .data(let data) = segment { return "\(data.count) bytes" }
            return "unknown length"
        }
        return "(\(pieces.joined(separator: "; ")))"
    }
}
