import Models
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An error of the test server, or of a wait for it or for a ``ScriptedRequestSender``.
public struct LoopbackError: NetChainFailure, Equatable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: ErrorCode {
        package let name: String

        /// The system did not provide a socket, a port or a thread.
        public static let cannotStart = Code(name: "cannotStart")
        /// A wait timed out.
        public static let timedOut = Code(name: "timedOut")
        /// The server was stopped before or during a wait.
        public static let stopped = Code(name: "stopped")
        /// The connection to write to is not open any more.
        package static let connectionGone = Code(name: "connectionGone")
        /// A test left a request of a ``ScriptedRequestSender`` without a response.
        public static let unanswered = Code(name: "unanswered")
        /// The body is malformed, or its Content-Type is not that of a multipart or URL-encoded form.
        public static let malformedBody = Code(name: "malformedBody")
    }

    /// What kind of failure it is.
    public let code: Code
    /// The name of the code.
    public var errorType: String { code.name }
    /// A human-readable message with the details.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension LoopbackError: DescribedError {}
