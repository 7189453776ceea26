public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One part of a multipart form.
package struct MultipartPart: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case data(Data)
        /// The file at this URL, which is read when the form is sent.
        case file(URL)
    }

    package var name: String
    /// The file's name as it is sent; nil for a field that is not a file.
    package var filename: String?
    /// The content's media type; nil for a plain field.
    package var contentType: String?
    package var content: Content

    package init(name: String, filename: String? = nil, contentType: String? = nil, content: Content) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.content = content
    }

    package init(name: String, file: MultipartFileProvider) {
        switch file {
        case .url(let url, let filename, let mimetype):
            let filename = filename ?? url.lastPathComponent
            self.init(
                name: name, filename: filename, contentType: mimetype ?? MultipartContentType.guess(filename: filename),
                content: .file(url))
        case .data(let data, let filename, let mimetype):
            self.init(
                name: name, filename: filename, contentType: mimetype ?? MultipartContentType.guess(filename: filename),
                content: .data(data))
        }
    }
}

/// Where a file of a form comes from.
public enum MultipartFileProvider: Sendable, Equatable {
    /// The file at this URL. The name defaults to the URL's last component, the media type to a guess by the name's
    /// extension.
    case url(url: URL, filename: String? = nil, mimetype: String? = nil)
    /// A file from memory. The media type defaults to a guess by the name's extension.
    case data(data: Data, filename: String, mimetype: String? = nil)
}

extension MultipartPart.Content: MaskedValue {
    /// The number of bytes, or the path of the file; no content.
    package var description: String {
        switch self {
        case .data(let data): "\(data.count) bytes"
        case .file(let url): "file \(url.path)"
        }
    }
}

extension MultipartFileProvider: MaskedValue {
    /// The file's name and source; no content.
    public var description: String {
        switch self {
        case .url(let url, let filename, _): "file \(url.path)\(filename.map { " as \($0)" } ?? "")"
        case .data(let data, let filename, _): "\(filename), \(data.count) bytes"
        }
    }
}
