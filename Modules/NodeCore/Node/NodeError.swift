/// An error of a node itself, such as a missing implementation.
public struct NodeError: Error, Hashable, CustomStringConvertible {
    /// The kind of a ``NodeError``; new kinds may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        let name: String

        /// The code's name.
        public var description: String {
            name
        }

        /// The node's class doesn't override `process(_:)`.
        public static let notImplemented = Code(name: "notImplemented")
    }

    /// What happened.
    public let code: Code
    /// The name of the node in which it happened.
    public let node: String
    /// What happened, in words.
    public let description: String

    static func notImplemented(_ node: String) -> NodeError {
        NodeError(
            code: .notImplemented, node: node,
            description: "\(node) does not override process(_:), so it has nothing to answer with.")
    }
}
