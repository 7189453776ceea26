package import HttpMessages
import Logging
package import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HttpResponse {
    /// `GET https://example.com/users/1`, secrets masked; from the second sending on with its number.
    package var requestLine: String {
        Self.requestLine(request.method, request.url, attempt: request.attempt, request.options.redaction)
    }

    /// Describes the request of this response, and keeps only what the description needs.
    package var provenance: any JsonProvenance {
        ResponseProvenance(
            method: request.method, url: request.url, attempt: request.attempt, redaction: request.options.redaction,
            hasBody: !data.isEmpty || bytes != nil)
    }

    private struct ResponseProvenance: JsonProvenance {
        let method: HttpMethod
        let url: URL
        let attempt: Int
        let redaction: Redaction
        let hasBody: Bool

        var description: String {
            let line = HttpResponse.requestLine(method, url, attempt: attempt, redaction)
            return "the response to \(line)\(hasBody ? "" : ", which has no body")"
        }
    }

    fileprivate static func requestLine(
        _ method: HttpMethod, _ url: URL, attempt: Int, _ redaction: Redaction
    ) -> String {
        let number = attempt > 1 ? " (attempt \(attempt))" : ""
        return "\(method) \(redaction.url(url.absoluteString))\(number)"
    }

    /// `text/html`, when the response has it: the media type alone, which can't hold secrets, without parameters and
    /// without anything that could be more than a name (RFC 9110 §8.3.1).
    package var mediaType: String? {
        guard let type = headers["Content-Type"]?.prefix(while: { $0 != ";" && $0 != " " }), type.utf8.count <= 80
        else { return nil }
        let isName = type.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/+-._".utf8.contains(byte)
            }
        }
        return isName && type.contains("/") ? String(type) : nil
    }
}
