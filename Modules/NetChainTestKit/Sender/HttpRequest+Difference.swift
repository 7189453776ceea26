import Models
public import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HttpRequest {
    /// The differences from the request that a test expects, one line each; nil if there are none.
    ///
    /// ```swift
    /// #expect(exchange.request.difference(from: .post, "/users", query: ["page": "2"], json: ["name": "Ada"]) == nil)
    /// ```
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path, decoded.
    ///   - query: all query items, decoded; several values of one name are joined with commas. nil for any query.
    ///   - json: the body as JSON; nil for any body.
    ///   - body: the body as text; nil for any body.
    public func difference(
        from method: HttpMethod, _ path: String, query: [String: String]? = nil, json: Json? = nil,
        body: String? = nil
    ) -> String? {
        var lines: [String] = []
        func compare(_ name: String, _ actual: String, _ expected: String) {
            if actual != expected { lines.append("\(name): \(actual), expected \(expected)") }
        }
        compare("method", self.method.rawValue, method.rawValue)
        let sentPath = url.path(percentEncoded: false)
        compare("path", sentPath.isEmpty ? "/" : sentPath, path)
        if let query { compare("query", Self.text(of: queryItems), Self.text(of: query)) }
        let sent = self.body.inMemory
        let text = sent.map { String(decoding: $0, as: UTF8.self) } ?? "a stream or a file"
        if let json, (try? Json(parsing: sent ?? Data())) != json { compare("body", text, json.description) }
        if let body { compare("body", text, body) }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    private var queryItems: [String: String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { "\($0),\($1)" }
    }

    private static func text(of query: [String: String]) -> String {
        "[" + query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&") + "]"
    }
}
