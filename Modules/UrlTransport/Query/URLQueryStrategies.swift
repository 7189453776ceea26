/// How a Boolean is written in a query. Write your own, or take one of ``URLQueryBoolEncodingDefaultStrategy``.
public protocol URLQueryBoolEncodingStrategy: Sendable {
    /// The text for `value`, not percent-encoded.
    func encode(value: Bool) -> String
}

/// The ready ways to write a Boolean.
public enum URLQueryBoolEncodingDefaultStrategy: URLQueryBoolEncodingStrategy {
    /// `1` and `0`
    case asInt
    /// `true` and `false`
    case asBool

    /// The text for `value`.
    public func encode(value: Bool) -> String {
        switch self {
        case .asInt: value ? "1" : "0"
        case .asBool: value ? "true" : "false"
        }
    }
}

/// How the name is written for each element of an array. Write your own, or take one of
/// ``URLQueryArrayKeyEncodingBracketsStrategy``.
public protocol URLQueryArrayKeyEncodingStrategy: Sendable {
    /// The name for an element of the array called `value`, not percent-encoded.
    func encode(value: String) -> String
}

/// The ready ways to write an array's name.
public enum URLQueryArrayKeyEncodingBracketsStrategy: URLQueryArrayKeyEncodingStrategy {
    /// `foo[]=a&foo[]=b`
    case brackets
    /// `foo=a&foo=b`
    case noBrackets

    /// The name for an element of the array called `value`.
    public func encode(value: String) -> String {
        switch self {
        case .brackets: value + "[]"
        case .noBrackets: value
        }
    }
}

/// How the name is written for each member of a dictionary. Write your own, or take
/// ``URLQueryDictionaryKeyEncodingDefaultStrategy``.
public protocol URLQueryDictionaryKeyEncodingStrategy: Sendable {
    /// The name for the member `dictionaryKey` of the dictionary called `queryItemName`, not percent-encoded.
    func encode(queryItemName: String, dictionaryKey: String) -> String
}

/// Writes `foo[bar]=a`.
public struct URLQueryDictionaryKeyEncodingDefaultStrategy: URLQueryDictionaryKeyEncodingStrategy {
    /// Creates the strategy.
    public init() {}

    /// The name for the member `dictionaryKey` of the dictionary called `queryItemName`.
    public func encode(queryItemName: String, dictionaryKey: String) -> String {
        "\(queryItemName)[\(dictionaryKey)]"
    }
}
