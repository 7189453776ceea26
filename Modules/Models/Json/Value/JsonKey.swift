/// A coding key that is any text, or an index.
struct JsonKey: CodingKey, Sendable {
    let stringValue: String
    let intValue: Int?

    init(_ text: String) {
        stringValue = text
        intValue = nil
    }

    init(_ text: String, _ integer: Int?) {
        stringValue = text
        intValue = integer
    }

    init?(stringValue: String) { self.init(stringValue) }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(intValue: Int) {
        stringValue = intValue.description
        self.intValue = intValue
    }
}

/// The coding key of `superEncoder()` and `superDecoder()`, which a strategy converts.
enum JsonSuperKey: String, CodingKey {
    case `super`
}

extension CodingKey {
    /// Whether keys of this type are data, which no strategy converts: those of dictionaries and of `Json`.
    static var isData: Bool { self == JsonKey.self || self == DictionaryKeyProbe.keyType }
}

/// Finds the type of the keys with which the standard library's dictionaries code themselves. It has no public name.
private final class DictionaryKeyProbe: Decoder {
    static let keyType: Any.Type? = {
        let probe = DictionaryKeyProbe()
        _ = try? [String: Int](from: probe)
        return probe.keyType
    }()

    private struct Found: Error {}

    private var keyType: Any.Type?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        keyType = type
        throw Found()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Found() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Found() }
}
