import HttpMessages
import Logging
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts requests and responses to the structures of a HAR file, with secrets masked.
struct HarWriter {
    let redaction: Redaction
    let recordsBodies: Bool
    let httpVersion: String

    func request(_ exchange: HarExchange) -> HarRequest {
        let request = exchange.request
        let url = redaction.url(request.url.absoluteString)
        let headers = exchange.sentHeaders ?? HttpHeaders(request.headers.fieldsToSend)
        return HarRequest(
            method: request.method.rawValue, url: url, httpVersion: httpVersion,
            cookies: headers.values(of: "Cookie").flatMap(cookies), headers: pairs(headers),
            queryString: query(of: url), postData: postData(of: exchange),
            headersSize: isText && !exchange.sentHead.isEmpty ? exchange.sentHead.count : -1,
            bodySize: exchange.requestSize)
    }

    /// Whether heads are sent as text, so that their size is known.
    private var isText: Bool { httpVersion.hasPrefix("HTTP/1") }

    func response(_ exchange: HarExchange) -> HarResponse {
        guard let response = exchange.response else {
            let content = HarResponse.Content(
                size: 0, compression: nil, mimeType: "x-unknown", text: nil, encoding: nil, comment: nil)
            return HarResponse(
                status: 0, statusText: "", httpVersion: "", cookies: [], headers: [], content: content, redirectURL: "",
                headersSize: -1, bodySize: -1)
        }
        let isMeasured = response.metrics.total > .zero
        let wireSize = isMeasured ? response.metrics.bytesReceived : Int64(exchange.responseSize)
        return HarResponse(
            status: response.status, statusText: redaction.text(exchange.statusText), httpVersion: httpVersion,
            cookies: response.headers.values(of: "Set-Cookie").compactMap(setCookie),
            headers: pairs(response.headers), content: content(of: response, exchange, wireSize: wireSize),
            redirectURL: response.headers["Location"].map { redaction.url(redaction.header("Location", $0)) } ?? "",
            headersSize: isText ? exchange.responseHeadSize ?? -1 : -1, bodySize: wireSize)
    }

    // MARK: Headers, query, cookies

    private func pairs(_ headers: HttpHeaders) -> [HarPair] {
        redaction.headers(headers.fields.map { ($0.name, $0.value) }).map { HarPair(name: $0.0, value: $0.1) }
    }

    /// The decoded fields of the masked URL's query.
    private func query(of url: String) -> [HarPair] {
        let beforeFragment = url.prefix { $0 != "#" }
        guard let mark = beforeFragment.firstIndex(of: "?") else { return [] }
        return fields(of: beforeFragment[beforeFragment.index(after: mark)...])
    }

    private func fields(of form: Substring) -> [HarPair] {
        form.split(separator: "&").map { field in
            let name = field.prefix { $0 != "=" }
            return HarPair(name: decoded(name), value: decoded(field.dropFirst(name.count + 1)))
        }
    }

    private func decoded(_ part: Substring) -> String {
        String(decoding: Percent.decoded(Array(part.utf8)[...], plusIsSpace: true), as: UTF8.self)
    }

    private func cookies(in header: String) -> [HarCookie] {
        header.split(separator: ";").map { HarCookie($0.trimmed, mask: mask) }
    }

    private func setCookie(_ header: String) -> HarCookie? {
        let parts = header.split(separator: ";").map(\.trimmed)
        guard let first = parts.first else { return nil }
        var cookie = HarCookie(first, mask: mask)
        for attribute in parts.dropFirst() {
            let name = attribute.prefix { $0 != "=" }
            let value = String(attribute.dropFirst(name.count + 1))
            switch name.lowercased() {
            case "path": cookie.path = redaction.url(value)
            case "domain": cookie.domain = value
            case "httponly": cookie.httpOnly = true
            case "secure": cookie.secure = true
            default: break
            }
        }
        return cookie
    }

    /// Masks the value of a cookie, which is a secret whatever its name is.
    private func mask(_ value: String) -> String {
        redaction.isOff || value.isEmpty ? value : Redaction.mask
    }

    // MARK: Bodies

    private func postData(of exchange: HarExchange) -> HarRequest.PostData? {
        guard recordsBodies, exchange.requestSize != 0 else { return nil }
        let type = exchange.request.headers["Content-Type"] ?? ""
        var bytes = Data()
        var files: [String] = []
        for piece in exchange.request.body.pieces(masked: redaction, contentType: type) {
            switch piece {
            case .data(let data): bytes += data
            case .file(let slice):
                let part = slice.isWhole ? "" : ", from byte \(slice.range.lowerBound)"
                files.append("\(slice.url.lastPathComponent) (\(slice.size) bytes\(part))")
            case .stream: break
            }
        }
        if exchange.isStreamed { files.append("a stream") }
        if bytes.isEmpty && files.isEmpty {
            return HarRequest.PostData(
                mimeType: type, params: [], text: "", encoding: nil, comment: "larger than what is recorded")
        }
        let (text, encoding) = harText(bytes)
        let isForm = type.lowercased().hasPrefix("application/x-www-form-urlencoded")
        return HarRequest.PostData(
            mimeType: type, params: isForm ? fields(of: text[...]) : [], text: text, encoding: encoding,
            comment: files.isEmpty ? nil : "without the contents of " + files.joined(separator: ", "))
    }

    private func content(of response: HttpResponse, _ exchange: HarExchange, wireSize: Int64) -> HarResponse.Content {
        let type = response.headers["Content-Type"] ?? ""
        let size = exchange.responseSize
        let isKept = recordsBodies && !response.data.isEmpty
        let body = isKept ? harText(redaction.body(response.data, contentType: type)) : nil
        let saved = size - Int(wireSize)
        return HarResponse.Content(
            size: size, compression: saved > 0 ? saved : nil, mimeType: type.isEmpty ? "x-unknown" : type,
            text: body?.text, encoding: body?.encoding,
            comment: recordsBodies && !isKept && size > 0 ? "larger than what is recorded" : nil)
    }

    /// Returns text unchanged, other data in base64.
    private func harText(_ bytes: Data) -> (text: String, encoding: String?) {
        if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) { return (text, nil) }
        return (bytes.base64EncodedString(), "base64")
    }
}

extension HarCookie {
    fileprivate init(_ pair: Substring, mask: (String) -> String) {
        // A pair without a name is a value (RFC 6265bis §5.6). In UTF-8: `=` with a combining mark is one `Character`.
        let equals = pair.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = equals.map { pair[..<$0] } ?? ""
        let value = equals.map { pair[pair.utf8.index(after: $0)...] } ?? pair
        self.init(name: String(name), value: mask(String(value)))
    }
}
