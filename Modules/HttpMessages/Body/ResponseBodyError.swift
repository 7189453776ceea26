public import NodeCore

/// The error of a body that can't be read: two tasks read one ``ByteStream`` at once, or a response that a node or a
/// middleware of the application created has no file or stream, as a 204 and a 205 of a server.
public struct ResponseBodyError: NetChainFailure, CustomStringConvertible {
    /// What went wrong, in words.
    public let description: String

    /// - Parameter kind: what the response doesn't have, in a word.
    package static func missing(_ kind: String, status: Int) -> ResponseBodyError {
        let reason =
            status == 204 || status == 205
            ? "its status is \(status), which means no content"
            : "a node or a middleware made it, in place of the sender"
        return ResponseBodyError(description: "The response has no \(kind): \(reason).")
    }

    static let streamIsBusy = ResponseBodyError(
        description: "The stream is read by another task at this moment; a body can be read once.")
}
