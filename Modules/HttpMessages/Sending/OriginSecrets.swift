package import Logging

/// What only the origin of a request receives: credentials in headers and in the query.
///
/// One decision for redirects, for whole URLs, for the requests of middleware and for what is masked. A secret is what
/// the standard redaction masks, what the application has declared, and the header of a client's `auth`.
package struct OriginSecrets: Sendable {
    /// Declared names of headers, in lower case.
    private let headers: Set<String>
    private let redaction: Redaction

    /// - Parameters:
    ///   - headers: declared names of headers, in any case.
    ///   - redaction: what the application masks. What ``Redaction/standard`` masks is a secret, too.
    package init(headers: Set<String>, redaction: Redaction) {
        self.headers = Set(headers.map { $0.lowercased() })
        self.redaction = redaction
    }

    /// Creates the secrets of a request that is sent.
    package init(_ options: RequestOptions, _ settings: SenderConfiguration.Redirects? = nil) {
        self.init(
            headers: options.secretHeaders.union(settings?.sensitiveHeaders ?? []), redaction: options.redaction)
    }

    /// Whether the value of this header is a secret.
    package func contains(header name: String) -> Bool {
        headers.contains(name.lowercased()) || Redaction.standard.isSecret(header: name)
            || redaction.isSecret(header: name)
    }

    /// Whether a request to another origin must not have this header: its value is a secret, or it is a `Host`, which
    /// names the origin.
    package func isBoundToOrigin(header name: String) -> Bool {
        name.equalsIgnoringCase("Host") || contains(header: name)
    }

    /// Whether the value of this query parameter is a secret.
    ///
    /// - Parameter isNumber: whether the value is a number. After a plural name, such as `max_tokens`, that is a count and
    ///   no secret.
    package func contains(parameter name: String, isNumber: Bool) -> Bool {
        [Redaction.standard, redaction].contains { $0.isSecret(parameter: name, isNumber: isNumber) }
    }
}

extension SenderConfiguration.Redirects {
    /// The names in ``sensitiveHeaders`` that are not there by default.
    package var declaredSecrets: Set<String> {
        sensitiveHeaders.subtracting(SenderConfiguration.Redirects().sensitiveHeaders)
    }
}
