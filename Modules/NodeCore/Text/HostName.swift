/// The name of a host in the ASCII form in which DNS, TLS and `Host` carry it (RFC 5890, RFC 3492).
///
/// It doesn't depend on libcurl's libidn2, which converts names only in a process with a UTF-8 locale.
package enum HostName {
    /// Returns the name without escapes, and with each label beyond ASCII as `xn--` and its Punycode. Bytes that a name
    /// can't have are escaped, so that no part of the name becomes a delimiter.
    package static func ascii(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Percent.decoded(name, plusIsSpace: false)
        if !bytes.allSatisfy({ $0 < 0x80 }), let text = String(validating: bytes, as: UTF8.self) {
            bytes = mapped(text).split(separator: ".", omittingEmptySubsequences: false)
                .map { ascii(label: $0.unicodeScalars) }.joined(separator: ".").utf8.map { $0 }
        }
        // No escape is left: each `%` is a byte of the name.
        var escaped: [UInt8] = []
        for byte in bytes { if byte.isOfName { escaped.append(byte) } else { Percent.append(byte, to: &escaped) } }
        return escaped
    }

    private static func ascii(label: Substring.UnicodeScalarView) -> String {
        // DNS has labels of at most 63 bytes, and Punycode takes the square of the length.
        guard label.contains(where: { !$0.isASCII }), label.count < 64, let code = punycode(label) else {
            return String(label)
        }
        return "xn--" + code
    }

    /// What UTS #46 does to the names that people write: lowercase, precomposed letters, the full stops and the full-width
    /// letters of East Asian keyboards, and no invisible characters.
    private static func mapped(_ name: String) -> String {
        var mapped = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.value {
            case 0xAD, 0x200B, 0x2060, 0xFEFF, 0xFE00...0xFE0F: continue
            case 0x3002, 0xFF61: mapped.append(".")
            case 0xFF01...0xFF5E: mapped.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
            default: mapped.append(scalar)
            }
        }
        var composed = String.UnicodeScalarView()
        for character in String(mapped).lowercased() {
            let scalars = character.unicodeScalars
            // Equal characters are canonically equivalent, so the dictionary finds the precomposed form (NFC).
            if scalars.count > 1, let single = precomposed[character] {
                composed.append(single)
            } else {
                composed.append(contentsOf: scalars)
            }
        }
        return String(composed)
    }

    /// The precomposed letters of the Latin, Greek and Cyrillic scripts, and kana.
    private static let precomposed: [Character: Unicode.Scalar] = {
        let letters = [0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF, 0x3041...0x30FF].joined()
            .compactMap { Unicode.Scalar(UInt32($0)) }
        return Dictionary(letters.map { (Character($0), $0) }) { first, _ in first }
    }()

    /// RFC 3492 §6.3; nil on overflow.
    private static func punycode(_ label: Substring.UnicodeScalarView) -> String? {
        var output = label.filter(\.isASCII).map { UInt8($0.value) }
        let basic = UInt32(output.count)
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias, handled) = (UInt32(128), UInt32(0), UInt32(72), basic)
        let scalars = label.map(\.value)
        while handled < scalars.count {
            guard let smallest = scalars.filter({ $0 >= next }).min() else { return nil }
            let (step, overflow) = (smallest - next).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, delta <= UInt32.max - step - UInt32(scalars.count) else { return nil }
            delta += step
            next = smallest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                var rest = delta
                var weight: UInt32 = 36
                while true {
                    let threshold = weight <= bias ? 1 : min(26, weight - bias)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    weight += 36
                }
                output.append(digit(rest))
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias: UInt32 = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
    }
}
