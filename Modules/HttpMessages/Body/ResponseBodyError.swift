public import NodeCore

/// The error of a body that can't be read: two tasks read one ``ByteStream`` at once, or a response has no file or stream.
///
/// These responses have none: that to a `HEAD` request, a 204, a 205, and one that a node or a middleware of the
/// application created.
public struct ResponseBodyError: NetChainFailure, CustomStringConvertible {
    /// What went wrong, in words.
    public let description: String

    /// - Parameter kind: what the response doesn't have, in a word.
    package static func missing(_ kind: String, method: HttpMethod, status: Int) -> ResponseBodyError {
        let reason =
            if method == .head {
                "the response to a HEAD request has no content"
            } else if status == 204 || status == 205 {
                "its status is \(status), which means no content"
            } else {
                "a node or a middleware made it, in place of the sender"
            }
        return ResponseBodyError(description: "The response has no \(kind): \(reason).")
    }

    static let streamIsBusy = ResponseBodyError(
        description: "The stream is read by another task at this moment; a body can be read once.")
}
