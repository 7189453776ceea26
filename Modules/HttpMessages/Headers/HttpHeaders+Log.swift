import Logging
public import NodeCore

extension HttpHeaders {
    /// The fields for a log, one a line; secrets masked.
    package func lines(_ redaction: Redaction) -> String {
        redaction.headers(fields.map { ($0.name, $0.value) }).map { "\($0.0): \($0.1)" }.joined(separator: "\n")
    }
}

extension HttpHeaders {
    /// The fields; secrets masked.
    package var inOneLine: String {
        fields.map(\.description).joined(separator: ", ")
    }
}

extension HttpHeaders: MaskedValue {
    /// The fields, one a line; secrets masked.
    public var description: String {
        lines(.standard)
    }
}

extension HttpHeaders.Field: MaskedValue {
    /// Name and value; a secret masked.
    public var description: String {
        "\(name): \(Redaction.standard.header(name, value))"
    }
}
