/// An error of a node itself, such as a missing implementation or a result that never comes.
public struct ChainError: NetChainFailure, CustomStringConvertible {
    /// The kind of a ``ChainError``; new kinds may come.
    public struct Code: ErrorCode {
        package let name: String

        /// The node's class overrides neither `execute(_:)` nor `process(_:)`.
        public static let notImplemented = Code(name: "notImplemented")
        /// The producer released its ``Context`` without settling it: the work can never end by itself.
        public static let abandoned = Code(name: "abandoned")
        /// The closure given to ``Observer/chain(with:)`` returned nil, so there is no further work.
        public static let nothingToChain = Code(name: "nothingToChain")
    }

    /// What happened.
    public let code: Code
    /// The name of the code.
    public var errorType: String { code.name }
    /// What happened, in words, with the node or the types involved.
    public let description: String

    static func notImplemented(_ node: String) -> ChainError {
        ChainError(
            code: .notImplemented,
            description: "\(node) overrides neither execute(_:) nor process(_:).")
    }

    package static func abandoned<Value>(_ type: Value.Type) -> ChainError {
        ChainError(
            code: .abandoned,
            description: "The producer of Observer<\(type)> released its Context without settling it.")
    }

    static func nothingToChain<Value>(_ type: Value.Type) -> ChainError {
        ChainError(
            code: .nothingToChain,
            description: "The closure of Observer.chain(with:) returned no Observer<\(type)>.")
    }
}
