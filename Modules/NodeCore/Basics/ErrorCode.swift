/// The kind of an error, by its name. A struct, so that more kinds can be added.
package protocol ErrorCode: Hashable, Sendable, CustomStringConvertible {
    var name: String { get }
}

extension ErrorCode {
    /// The code's name.
    public var description: String { name }
}
