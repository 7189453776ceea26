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

extension MultipartFieldValue where Self: LosslessStringConvertible {
    /// The value's text in UTF-8: a string itself, a number's decimal digits, `true` or `false`.
    public var multipartData: Data { Data(description.utf8) }
}

extension String: MultipartFieldValue {}
extension Int: MultipartFieldValue {}
extension Double: MultipartFieldValue {}
extension Bool: MultipartFieldValue {}

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
