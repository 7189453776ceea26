import Foundation
import UrlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// The request of one hop; errors tell of `original`.
    init(_ hop: RawUrlRequest, of original: RawUrlRequest, configuration: SenderConfiguration) throws(TransportError) {
        self.init(url: hop.url)
        httpMethod = hop.method.rawValue
        for field in hop.headers.fields {
            // A repeated field becomes one line here: URLRequest keeps one value for a name.
            addValue(field.value, forHTTPHeaderField: field.name)
        }
        if value(forHTTPHeaderField: "User-Agent") == nil, let userAgent = configuration.userAgent {
            setValue(userAgent, forHTTPHeaderField: "User-Agent")
        }
        httpShouldHandleCookies = configuration.cookies == .memory
        if !hop.body.isEmpty { httpBody = try hop.readBody(of: original) }
        timeoutInterval = configuration.timeouts.stall.map { $0 / .seconds(1) } ?? 7 * 86_400
    }
}

extension RawUrlRequest {
    fileprivate func readBody(of original: RawUrlRequest) throws(TransportError) -> Data {
        let data: Data
        do {
            data = try body.read()
        } catch {
            throw TransportError(.uploadFailed, of: original, reason: "\(error)", cause: error)
        }
        let length = body.length ?? 0
        guard data.count == length else {
            throw TransportError(
                .uploadFailed, of: original,
                reason: "a file of the body changed its size: \(data.count) bytes now, \(length) before")
        }
        return data
    }
}
