public import NodeCore

/// A response has no file or stream, because a node or a middleware of the application made it.
public struct ReceivedBodyError: Error, CustomStringConvertible {
    private let kind: String

    /// - Parameter kind: what is missing, in a word.
    package init(_ kind: String) {
        self.kind = kind
    }

    /// What is wrong.
    public var description: String {
        "The response has no \(kind): a node or a middleware made it, in place of the sender."
    }
}

extension ReceivedBodyError: NetChainFailure {}
