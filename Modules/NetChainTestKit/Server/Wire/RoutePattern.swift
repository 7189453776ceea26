/// The path of a route: literal parts, `:name` parts that match any one part, and a `*` at the end that matches the
/// rest. `*` alone matches every target.
struct RoutePattern: Hashable, Sendable {
    let text: String
    private let parts: [String]

    init(_ text: String) {
        self.text = text
        parts = Self.parts(of: text)
    }

    /// The parts of a path, between its slashes, decoded.
    static func parts(of path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).map { $0.percentDecoded(plusIsSpace: false) }
    }

    /// The values of the pattern's names if `path`, split by ``parts(of:)``, matches; `nil` otherwise.
    func match(_ path: [String]) -> [String: String]? {
        if text == "*" { return ["*": path.joined(separator: "/")] }
        let takesRest = parts.last == "*"
        guard takesRest ? path.count >= parts.count : path.count == parts.count else { return nil }
        var values: [String: String] = [:]
        for (index, part) in parts.enumerated() {
            if takesRest, index == parts.count - 1 {
                values["*"] = path[index...].joined(separator: "/")
            } else if part.hasPrefix(":") {
                values[String(part.dropFirst())] = path[index]
            } else if !part.utf8.elementsEqual(path[index].utf8) {
                return nil
            }
        }
        return values
    }
}
