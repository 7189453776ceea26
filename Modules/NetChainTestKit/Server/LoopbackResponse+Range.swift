import HttpMessages

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LoopbackResponse {
    /// The response to a range request for `content`, as from a file server (RFC 9110 §14).
    ///
    /// - One range (`bytes=2-5`, `bytes=2-` or `bytes=-3`) gives 206 with `Content-Range`.
    /// - A range outside of the content gives 416.
    /// - No range, several ranges, or an `If-Range` other than `entityTag` give the whole content with 200.
    ///
    /// An `entityTag` without quotation marks gets them.
    public static func range(
        of content: [UInt8], for request: LoopbackRequest, entityTag: String? = nil,
        contentType: String = "application/octet-stream"
    ) -> LoopbackResponse {
        let entityTag = entityTag.map { $0.hasSuffix("\"") ? $0 : "\"\($0)\"" }
        var response: LoopbackResponse
        switch requestedRange(of: content.count, request, entityTag) {
        case .whole:
            response = .bytes(content, contentType: contentType)
        case .part(let part):
            response = .bytes(Array(content[part]), contentType: contentType, status: 206)
                .header("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.count)")
        case .impossible:
            response = .status(416, headers: ["Content-Range": "bytes */\(content.count)"])
        }
        response.headers.add(name: "Accept-Ranges", value: "bytes")
        if let entityTag { response.headers.add(name: "ETag", value: entityTag) }
        return response
    }

    /// The same for data.
    @_disfavoredOverload
    public static func range(
        of content: Data, for request: LoopbackRequest, entityTag: String? = nil,
        contentType: String = "application/octet-stream"
    ) -> LoopbackResponse {
        range(of: Array(content), for: request, entityTag: entityTag, contentType: contentType)
    }

    private enum RequestedRange {
        case whole
        case part(Range<Int>)
        case impossible
    }

    private static func requestedRange(of count: Int, _ request: LoopbackRequest, _ entityTag: String?)
        -> RequestedRange
    {
        if let condition = request.headers["If-Range"], condition != entityTag { return .whole }
        guard let value = request.headers["Range"], value.hasPrefix("bytes="), !value.contains(",") else {
            return .whole
        }
        let bounds = value.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return .whole }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, let last?) where first <= last:
            return first < count ? .part(first..<(last < count ? last + 1 : count)) : .impossible
        case (let first?, nil) where bounds[1].isEmpty:
            return first < count ? .part(first..<count) : .impossible
        case (nil, let suffix?) where bounds[0].isEmpty:
            return suffix > 0 && count > 0 ? .part(max(0, count - suffix)..<count) : .impossible
        default:
            return .whole
        }
    }
}
