/// Defines how a Boolean is written in a query. ``URLQueryBoolEncodingDefaultStrategy`` has ready implementations.
public protocol URLQueryBoolEncodingStrategy: Sendable {
    /// Returns the text for `value`, not percent-encoded.
    func encode(value: Bool) -> String
}

/// The built-in ways to write a Boolean.
public enum URLQueryBoolEncodingDefaultStrategy: URLQueryBoolEncodingStrategy {
    /// `1` and `0`
    case asInt
    /// `true` and `false`
    case asBool

    /// Returns the text for `value`.
    public func encode(value: Bool) -> String {
        switch self {
        case .asInt: value ? "1" : "0"
        case .asBool: value ? "true" : "false"
        }
    }
}

/// Defines how the name of an array is written for each of its elements. ``URLQueryArrayKeyEncodingBracketsStrategy``
/// has ready implementations.
public protocol URLQueryArrayKeyEncodingStrategy: Sendable {
    /// Returns the name for an element of the array named `value`, not percent-encoded.
    func encode(value: String) -> String
}

/// The built-in ways to write an array's name.
public enum URLQueryArrayKeyEncodingBracketsStrategy: URLQueryArrayKeyEncodingStrategy {
    /// `foo[]=a&foo[]=b`
    case brackets
    /// `foo=a&foo=b`
    case noBrackets

    /// Returns the name for an element of the array named `value`.
    public func encode(value: String) -> String {
        switch self {
        case .brackets: value + "[]"
        case .noBrackets: value
        }
    }
}

/// Defines how the name is written for each member of a dictionary. ``URLQueryDictionaryKeyEncodingDefaultStrategy`` is
/// a ready implementation.
public protocol URLQueryDictionaryKeyEncodingStrategy: Sendable {
    /// Returns the name for the member `dictionaryKey` of the dictionary named `queryItemName`, not percent-encoded.
    func encode(queryItemName: String, dictionaryKey: String) -> String
}

/// Writes `foo[bar]=a`.
public struct URLQueryDictionaryKeyEncodingDefaultStrategy: URLQueryDictionaryKeyEncodingStrategy {
    /// Creates the strategy.
    public init() {}

    /// Returns the name for the member `dictionaryKey` of the dictionary named `queryItemName`.
    public func encode(queryItemName: String, dictionaryKey: String) -> String {
        "\(queryItemName)[\(dictionaryKey)]"
    }
}
