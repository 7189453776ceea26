public import HttpMessages
public import Models
import NodeCore

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
            if actual.utf8.elementsEqual(expected.utf8) { return }
            // Equivalent texts look the same, so their scalars are shown.
            let shown = actual == expected ? [actual, expected].map(Self.escaped) : [actual, expected]
            lines.append("\(name): \(shown[0]), expected \(shown[1])")
        }
        compare("method", self.method.rawValue, method.rawValue)
        let sentPath = url.path(percentEncoded: false)
        compare("path", sentPath.isEmpty ? "/" : sentPath, path)
        if let query { compare("query", Self.text(of: queryItems), Self.text(of: query.map { ($0.key, $0.value) })) }
        let sent = self.body.inMemory
        let text = sent.map { String(decoding: $0, as: UTF8.self) } ?? "a stream or a file"
        if let json, (try? Json(parsing: sent ?? Data())) != json { compare("body", text, json.description) }
        if let body { compare("body", text, body) }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    private var queryItems: [(name: String, value: String)] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return items.map { ($0.name, $0.value ?? "") }
    }

    /// The items, sorted by name. `%`, `&` and `=` in them are percent-encoded, so that an escaped value
    /// differs from two items.
    private static func text(of items: [(name: String, value: String)]) -> String {
        func encoded(_ text: some Sequence<UInt8>) -> String {
            var bytes: [UInt8] = []
            for byte in text {
                if "%&=".utf8.contains(byte) { Percent.append(byte, to: &bytes) } else { bytes.append(byte) }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        // By UTF-8: `String` compares by canonical equivalence.
        let groups = Dictionary(grouping: items) { Array($0.name.utf8) }
        let fields = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { name, items in
            "\(encoded(name))=\(items.map { encoded($0.value.utf8) }.joined(separator: ","))"
        }
        return "[\(fields.joined(separator: "&"))]"
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }
}

extension HttpRequest {
    /// The body as JSON: `#expect(try exchange.request.json["name"]?.string == "Ada")`.
    ///
    /// - Throws: `JsonError` if it is no JSON; `RequestBuildingError` for a stream, or for a file that can't be read.
    public var json: Json {
        get throws { try Json(parsing: body.read()) }
    }
}
