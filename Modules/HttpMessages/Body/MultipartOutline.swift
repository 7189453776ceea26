import Logging

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The fields of a multipart form (RFC 7578) with their sizes in bytes, without their contents.
struct MultipartOutline {
    struct Field: Equatable {
        var name = ""
        var filename: String?
        var contentType: String?
        var size: Int64 = 0
    }

    private(set) var fields: [Field] = []

    /// The outline of a body; nil when it is no multipart form.
    init?(_ body: RequestBody, contentType: String) {
        guard contentType.lowercased().hasPrefix("multipart/form-data"),
            let boundary = Self.parameter("boundary", of: contentType)
        else { return nil }
        let delimiter = Data("--\(boundary)".utf8)
        for segment in body.segments {
            if case .data(let data) = segment {
                take(data, delimiter)
            } else {
                grow(by: segment.size ?? 0)
            }
        }
        if fields.isEmpty { return nil }
    }

    func text(_ redaction: Redaction) -> String {
        let lines = fields.map { field in
            let kind = [field.filename, field.contentType].compactMap { $0.map(redaction.text) }
            return "\(redaction.text(field.name)) (\((kind + ["\(field.size) bytes"]).joined(separator: ", ")))"
        }
        return (["multipart form of \(fields.count) fields"] + lines).joined(separator: "\n")
    }

    /// Splits data in which delimiters and contents alternate. A content may continue in the next piece.
    private mutating func take(_ data: Data, _ delimiter: Data) {
        var rest = data[...]
        while let found = rest.firstRange(of: delimiter) {
            // The CRLF before a delimiter is a part of the delimiter (RFC 2046 §5.1.1).
            let content = rest[..<found.lowerBound]
            grow(by: Int64(content.suffix(2).elementsEqual("\r\n".utf8) ? content.count - 2 : content.count))
            rest = rest[found.upperBound...]
            guard !rest.starts(with: "--".utf8), let end = rest.firstRange(of: Data("\r\n\r\n".utf8)) else { return }
            fields.append(Field(head: String(decoding: rest[..<end.lowerBound], as: UTF8.self)))
            rest = rest[end.upperBound...]
        }
        grow(by: Int64(rest.count))
    }

    private mutating func grow(by size: Int64) {
        if !fields.isEmpty { fields[fields.count - 1].size += size }
    }

    /// The value of a parameter, quoted or not (RFC 9110 §5.6.6).
    fileprivate static func parameter(_ name: String, of value: String) -> String? {
        HeaderParameter.values(of: name, in: Array(value.utf8)[...]).first
    }
}

extension MultipartOutline.Field {
    fileprivate init(head: String) {
        for line in head.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            switch line[..<colon].lowercased() {
            case "content-disposition":
                name = MultipartOutline.parameter("name", of: value) ?? ""
                filename = MultipartOutline.parameter("filename", of: value)
            case "content-type": contentType = value
            default: break
            }
        }
    }
}
