extension HttpHeaders {
    /// The pairs of all `Cookie` fields as one value; nil where there is none.
    package var cookie: String? {
        let values = values(of: "Cookie").filter { !$0.allSatisfy(\.isWhitespace) }
        return values.isEmpty ? nil : values.joined(separator: "; ")
    }

    /// The names of the cookies of a `Cookie` value.
    package static func cookieNames(in cookie: String) -> Set<String> {
        Set(cookie.split(separator: ";").map { String($0.prefix { $0 != "=" }.trimmed) })
    }

    /// The fields that are sent, in their order.
    ///
    /// - `Content-Length` and `Transfer-Encoding` are left out: the sender derives them from the body. Contradictory
    ///   framing enables request smuggling (RFC 9112 §11.2).
    /// - Several `Cookie` fields are one: a request must not have more (RFC 6265 §5.4).
    package var fieldsToSend: [Field] {
        var sent = fields.filter {
            !$0.name.equalsIgnoringCase("Content-Length") && !$0.name.equalsIgnoringCase("Transfer-Encoding")
        }
        guard let first = sent.firstIndex(where: \.isCookie), let cookie,
            sent[(first + 1)...].contains(where: \.isCookie)
        else { return sent }
        sent[first].value = cookie
        return sent[...first] + sent[(first + 1)...].filter { !$0.isCookie }
    }
}

extension HttpHeaders.Field {
    fileprivate var isCookie: Bool { name.equalsIgnoringCase("Cookie") }
}
