#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type whose values can be fields of a form.
public protocol MultipartFieldValue: Sendable {
    /// The value's bytes as the form sends them.
    var multipartData: Data { get }
}

extension String: MultipartFieldValue {
    /// The text in UTF-8.
    public var multipartData: Data { Data(utf8) }
}

extension Int: MultipartFieldValue {
    /// The number's decimal digits.
    public var multipartData: Data { Data(description.utf8) }
}

extension Double: MultipartFieldValue {
    /// The shortest decimal text of the number.
    public var multipartData: Data { Data(description.utf8) }
}

extension Bool: MultipartFieldValue {
    /// `true` or `false`.
    public var multipartData: Data { Data(description.utf8) }
}

extension Data: MultipartFieldValue {
    /// The bytes themselves.
    public var multipartData: Data { self }
}

extension Dictionary where Key == String, Value == Data {
    /// Fields whose values may be texts, numbers, Booleans and data. Of duplicate names the last counts.
    public init(fields: KeyValuePairs<String, any MultipartFieldValue>) {
        self.init(fields.map { ($0.key, $0.value.multipartData) }) { _, last in last }
    }
}
