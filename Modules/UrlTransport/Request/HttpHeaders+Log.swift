import Logging

extension HttpHeaders {
    /// The fields for a log, one a line; secrets masked.
    package func lines(_ redaction: Redaction) -> String {
        redaction.headers(fields.map { ($0.name, $0.value) }).map { "\($0.0): \($0.1)" }.joined(separator: "\n")
    }
}

extension HttpHeaders: CustomStringConvertible {
    /// The fields, one a line; secrets masked.
    public var description: String {
        lines(.standard)
    }
}
