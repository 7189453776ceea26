public import NodeCore

/// The error of a response without a file or stream, because a node or a middleware of the application created it.
public struct ReceivedBodyError: Error, CustomStringConvertible {
    private let kind: String

    /// - Parameter kind: what is missing, in a word.
    package init(_ kind: String) {
        self.kind = kind
    }

    /// What is missing, in words.
    public var description: String {
        "The response has no \(kind): a node or a middleware made it, in place of the sender."
    }
}

extension ReceivedBodyError: NetChainFailure {}
