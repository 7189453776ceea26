/// What went wrong in the test server, or in a wait for it or for a ``ScriptedRequestSender``.
public struct LoopbackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The system refused a socket, a port or a thread.
        public static let cannotStart = Code(description: "cannotStart")
        /// What was waited for did not happen in time.
        public static let timedOut = Code(description: "timedOut")
        /// The server was stopped, before or while somebody waited.
        public static let stopped = Code(description: "stopped")
        /// The connection that should be written to is not open any more.
        public static let connectionGone = Code(description: "connectionGone")
        /// The body is not the multipart or form body that its Content-Type promises.
        public static let malformedBody = Code(description: "malformedBody")
    }

    /// What kind of failure it is.
    public let code: Code
    /// The details, for people.
    public let message: String

    /// A failure of the given kind.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
