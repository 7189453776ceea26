extension UrlText {
    /// User info, host and port of a URL (RFC 3986 §3.2).
    package struct Authority: Hashable, Sendable {
        /// Escaped, without the `@`.
        package var userInfo: [UInt8]?
        /// Escaped; an IP literal with its brackets.
        package let host: [UInt8]
        /// The digits, maybe none.
        package let port: [UInt8]?

        /// nil for a host or port that can't be one.
        init?(_ text: ArraySlice<UInt8>, isDomain: Bool) {
            var rest = text
            if let sign = rest.lastIndex(of: UInt8(ascii: "@")) {
                userInfo = UrlText.escaped(rest[..<sign]) { $0.isOfName || $0 == UInt8(ascii: ":") }
                rest = rest[(sign + 1)...]
            }
            if rest.first == UInt8(ascii: "[") {
                guard let end = rest.firstIndex(of: UInt8(ascii: "]")),
                    let literal = Self.literal(rest[(rest.startIndex + 1)..<end])
                else { return nil }
                host = literal
                rest = rest[(end + 1)...]
            } else {
                let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
                host = isDomain ? HostName.ascii(rest[..<end]) : UrlText.escaped(rest[..<end], \.isOfName)
                rest = rest[end...]
            }
            if rest.first == UInt8(ascii: ":") {
                let digits = rest.dropFirst()
                guard digits.allSatisfy(\.isDigit), digits.isEmpty || Self.isPort(digits) else { return nil }
                port = Array(digits)
            } else {
                guard rest.isEmpty else { return nil }
                port = nil
            }
        }

        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            if let userInfo { bytes += userInfo + [UInt8(ascii: "@")] }
            bytes += host
            if let port { bytes += [UInt8(ascii: ":")] + port }
            return bytes
        }

        private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
            UInt16(String(decoding: digits, as: UTF8.self)) != nil
        }

        /// An IP address in its brackets, with the zone of an IPv6 address after `%25` (RFC 6874), where people write `%`.
        private static func literal(_ address: ArraySlice<UInt8>) -> [UInt8]? {
            let isFuture = address.first?.lowercased == UInt8(ascii: "v")
            let sign = isFuture ? nil : address.firstIndex(of: UInt8(ascii: "%"))
            let number = address[..<(sign ?? address.endIndex)]
            guard !number.isEmpty,
                number.allSatisfy({
                    isFuture ? $0.isOfName || $0 == UInt8(ascii: ":") : Percent.hexValue($0) != nil || $0.isOfIpv6
                })
            else { return nil }
            var literal = [UInt8(ascii: "[")] + number
            if let sign {
                var zone = address[(sign + 1)...]
                if zone.count > 2, zone.starts(with: "25".utf8) { zone = zone.dropFirst(2) }
                guard !zone.isEmpty else { return nil }
                literal += "%25".utf8
                literal += UrlText.escaped(zone, \.isUnreserved)
            }
            return literal + [UInt8(ascii: "]")]
        }
    }
}

extension UInt8 {
    /// A delimiter in an IPv6 address.
    fileprivate var isOfIpv6: Bool { self == UInt8(ascii: ":") || self == UInt8(ascii: ".") }
}
