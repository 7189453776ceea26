import Foundation
import HttpMessages

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// The request of one hop. Errors describe `original`, and the number of `redirects` that led to the hop.
    ///
    /// - Parameters:
    ///   - file: the file that the session sends as the body; nil where the request has the body.
    ///   - stored: the stored cookies for the hop. Those of the request win over stored ones of the same name.
    init(
        _ hop: HttpRequest, of original: HttpRequest, file: URL?, redirects: Int, configuration: SenderConfiguration,
        stored: [HTTPCookie] = []
    ) throws(TransportError) {
        self.init(url: hop.url.normalized)
        httpMethod = hop.method.rawValue
        // A session would send `Proxy-Authorization` to the server, also through a tunnel (RFC 9110 §11.7.2).
        for field in hop.headers.fieldsToSend where !field.name.equalsIgnoringCase("Proxy-Authorization") {
            // Repeated fields are joined here: URLRequest stores one value for a name.
            addValue(field.value, forHTTPHeaderField: field.name)
        }
        let now = Date()
        if let cookie = hop.headers.cookie(with: stored.filter { $0.isFor(hop.url, at: now) }) {
            setValue(cookie, forHTTPHeaderField: "Cookie")
        }
        if value(forHTTPHeaderField: "User-Agent") == nil, let userAgent = configuration.userAgent {
            setValue(userAgent, forHTTPHeaderField: "User-Agent")
        }
        // The session would decompress a part as if it were the whole.
        if value(forHTTPHeaderField: "Range") != nil, value(forHTTPHeaderField: "Accept-Encoding") == nil {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        httpShouldHandleCookies = configuration.cookies == .memory
        if !hop.body.isEmpty, file == nil {
            httpBody = try hop.readBody(of: original, redirects: redirects)
        }
        let stall = StallClock.limit(original.options.stallTimeout, configuration.timeouts.stall)
        timeoutInterval = (original.options.limitsHeadOnly ? nil : stall).timeoutInterval
    }
}

extension HttpHeaders {
    /// The value of the request's only `Cookie` field (RFC 6265 §5.4); nil for none.
    fileprivate func cookie(with stored: [HTTPCookie]) -> String? {
        let own = cookie
        let names = own.map { HttpHeaders.cookieNames(in: $0) } ?? []
        let others = stored.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        let pairs = [own].compactMap { $0 } + others
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }
}

extension HTTPCookie {
    /// Whether the server removed it (RFC 6265 §5.2.2). FoundationNetworking gives such a cookie no date.
    private var isRemoved: Bool {
        guard let age = properties?[.maximumAge] as? String else { return false }
        return age.hasPrefix("-") || !age.isEmpty && age.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// Whether a request to this URL has the cookie (RFC 6265 §5.4), as far as FoundationNetworking doesn't check it: its
    /// storage returns cookies of other paths, `Secure` ones for http, and expired ones.
    fileprivate func isFor(_ url: URL, at now: Date) -> Bool {
        guard expiresDate.map({ $0 > now }) ?? true, !isRemoved else { return false }
        guard !isSecure || url.scheme?.lowercased() == "https" else { return false }
        let requested = url.path(percentEncoded: true)
        guard requested != path, path != "/" else { return true }
        return requested.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }
}

extension HttpRequest {
    /// The error of a hop that was not sent, after a number of redirects.
    func unsent(
        _ code: TransportError.Code, redirects: Int, reason: String, cause: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            code, of: self, redirects: redirects, reason: reason, wasProcessed: redirects == 0 ? .no : .unknown,
            cause: cause)
    }

    /// The file of a body of at least 1 MiB that is a single file. The session reads it while it sends it. nil for any
    /// other body.
    func fileToSend(of original: HttpRequest, redirects: Int) throws(TransportError) -> URL? {
        guard let file = body.file, file.size >= 1 << 20 else { return nil }
        let size: Int64
        do {
            size = try RequestBody.fileSize(file.url)
        } catch {
            throw original.unsent(.uploadFailed, redirects: redirects, reason: "\(error)", cause: error)
        }
        try checkSize(size, of: original, redirects: redirects)
        return file.url
    }

    private func checkSize(_ size: Int64, of original: HttpRequest, redirects: Int) throws(TransportError) {
        let length = body.length ?? 0
        guard size == length else {
            throw original.unsent(
                .uploadFailed, redirects: redirects,
                reason: "a file of the body changed its size: \(size) bytes now, \(length) before")
        }
    }

    fileprivate func readBody(of original: HttpRequest, redirects: Int) throws(TransportError) -> Data {
        let data: Data
        do {
            data = try body.read()
        } catch {
            throw original.unsent(.uploadFailed, redirects: redirects, reason: "\(error)", cause: error)
        }
        try checkSize(Int64(data.count), of: original, redirects: redirects)
        return data
    }
}
