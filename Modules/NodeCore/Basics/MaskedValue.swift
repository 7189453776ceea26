/// A value that may carry secrets: `print`, `dump`, string interpolation, a debugger and `Mirror` show its
/// `description` and nothing else, also inside containers, optionals and other values.
///
/// Only the description masks. Adopt the protocol for your types that hold a password or a token:
///
/// ```swift
/// struct Login: MaskedValue {
///     let name: String
///     let password: String
///     var description: String { "login of \(name)" }
/// }
/// ```
public protocol MaskedValue: CustomStringConvertible, CustomReflectable {}

extension MaskedValue {
    /// The description alone, without the stored properties.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
