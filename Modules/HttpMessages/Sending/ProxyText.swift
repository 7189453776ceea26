import Logging

/// Masks the proxy's user info in messages of libcurl, which quotes a proxy that it can't use.
package enum ProxyText {
    /// Returns the message with the user info of a quoted proxy masked, although the proxy may be no URL.
    ///
    /// Whatever precedes the last `@` may be the password, with the slash or blank that makes it invalid. Without an `@`, so
    /// may be all but a name before a colon.
    package static func masked(_ message: String) -> String {
        guard let word = message.firstRange(of: "proxy"), let quote = message[word.upperBound...].firstIndex(of: "'")
        else { return message }
        let quoted = message[message.index(after: quote)...]
        let scheme = quoted.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let start =
            quoted[scheme.endIndex...].hasPrefix("://") ? quoted.index(scheme.endIndex, offsetBy: 3) : scheme.startIndex
        let shown = message[..<start]
        // libcurl truncates a long message, and the rest may hold the `@`.
        guard message.utf8.count < 250, let end = quoted.lastIndex(of: "'"), start <= end else {
            return shown + Redaction.mask
        }
        let proxy = quoted[start..<end]
        if let at = proxy.lastIndex(of: "@") { return shown + Redaction.mask + message[at...] }
        let name = proxy.firstIndex(of: ":").map { proxy[...$0] } ?? ""
        return shown + name + Redaction.mask + message[end...]
    }
}
