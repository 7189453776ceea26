import NodeCore

/// Writes values as a query or a form: `a=1&b%5B%5D=2`.
///
/// Keys are sorted at every level, so that equal requests have equal URLs. The elements of an array keep their order.
///
/// All characters other than `A-Z a-z 0-9 - . _ ~ / ?` are percent-encoded as UTF-8 in upper-case hex, a space as
/// `%20`. A query may contain `/` and `?` (RFC 3986 §3.4). A nil value is left out.
public struct QueryEncoder: Sendable {
    package var boolStrategy: any URLQueryBoolEncodingStrategy
    package var arrayStrategy: any URLQueryArrayKeyEncodingStrategy
    package var dictionaryStrategy: any URLQueryDictionaryKeyEncodingStrategy
    /// How the arrays of some values are written, by the values' names.
    var namedArrayStrategies: [String: any URLQueryArrayKeyEncodingStrategy] = [:]

    /// Creates an encoder. The defaults write `1`, `foo[]` and `foo[bar]`.
    public init(
        boolStrategy: any URLQueryBoolEncodingStrategy = URLQueryBoolEncodingDefaultStrategy.asInt,
        arrayStrategy: any URLQueryArrayKeyEncodingStrategy = URLQueryArrayKeyEncodingBracketsStrategy.brackets,
        dictionaryStrategy: any URLQueryDictionaryKeyEncodingStrategy = URLQueryDictionaryKeyEncodingDefaultStrategy()
    ) {
        self.boolStrategy = boolStrategy
        self.arrayStrategy = arrayStrategy
        self.dictionaryStrategy = dictionaryStrategy
    }

    /// Returns the members of `values` as percent-encoded text, for a URL or a form's body.
    package func encode(_ values: [String: QueryValue]) -> String {
        var pairs: [String] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let arrays = namedArrayStrategies.isEmpty ? nil : namedArrayStrategies[name]
            append(value, named: name, arrays: arrays ?? arrayStrategy, to: &pairs)
        }
        return pairs.joined(separator: "&")
    }

    private func append(
        _ value: QueryValue, named name: String, arrays: any URLQueryArrayKeyEncodingStrategy,
        to pairs: inout [String]
    ) {
        switch value {
        case .string(let text), .number(let text):
            pairs.append("\(Self.escape(name))=\(Self.escape(text))")
        case .bool(let bool):
            pairs.append("\(Self.escape(name))=\(Self.escape(boolStrategy.encode(value: bool)))")
        case .array(let elements):
            let elementName = arrays.encode(value: name)
            for element in elements { append(element, named: elementName, arrays: arrays, to: &pairs) }
        case .dictionary(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                let memberName = dictionaryStrategy.encode(queryItemName: name, dictionaryKey: key)
                append(member, named: memberName, arrays: arrays, to: &pairs)
            }
        case .none: break
        }
    }

    static func escape(_ text: String) -> String {
        if text.utf8.allSatisfy(isUnescaped) { return text }
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if isUnescaped(byte) { escaped.append(byte) } else { Percent.append(byte, to: &escaped) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func isUnescaped(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2F, 0x3F: true
        default: false
        }
    }
}
