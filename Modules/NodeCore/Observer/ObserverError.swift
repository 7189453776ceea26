/// An error between a producer and its consumer.
public struct ObserverError: Error, Hashable, CustomStringConvertible {
    /// The kind of an ``ObserverError``; new kinds may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        let name: String

        /// The code's name.
        public var description: String {
            name
        }

        /// The producer released its ``Context`` without settling it: the work can never end by itself.
        public static let abandoned = Code(name: "abandoned")
        /// The closure given to ``Observer/chain(with:)`` returned nil, so there is no further work.
        public static let nothingToChain = Code(name: "nothingToChain")
    }

    /// What happened.
    public let code: Code
    /// What happened, in words, with the types involved.
    public let description: String

    @usableFromInline static func abandoned<Value>(_ type: Value.Type) -> ObserverError {
        ObserverError(
            code: .abandoned,
            description: "The producer of Observer<\(type)> released its Context without settling it.")
    }

    @usableFromInline static func nothingToChain<Value>(_ type: Value.Type) -> ObserverError {
        ObserverError(
            code: .nothingToChain,
            description: "The closure of Observer.chain(with:) gave no Observer<\(type)> to go on with.")
    }
}
