import HttpMessages

/// The `name=value` parameters of a header value such as Content-Type or Content-Disposition.
struct HeaderParameters {
    private var values: [(name: String, value: String)] = []

    /// The first parameter of that name, ignoring case.
    subscript(_ name: String) -> String? {
        values.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    /// Reads what follows the first `;` of `header`. In a quoted value a backslash escapes a quote or a backslash.
    init(_ header: String) {
        var rest = header.unicodeScalars[...].drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            var value = String.UnicodeScalarView()
            if rest.first == "=" {
                rest = rest.dropFirst()
                if rest.first == "\"" {
                    value = Self.takeQuoted(&rest)
                } else {
                    value.append(contentsOf: rest.prefix { $0 != ";" })
                }
            }
            rest = rest.drop { $0 != ";" }
            values.append((String(Substring(name).trimmed), String(value)))
        }
    }

    private static func takeQuoted(_ rest: inout Substring.UnicodeScalarView) -> String.UnicodeScalarView {
        var value = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let next = rest.popFirst(), next != "\"" {
            if next == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
                value.append(escaped)
                rest = rest.dropFirst()
            } else {
                value.append(next)
            }
        }
        return value
    }
}
