/// What the server has counted since it started, at one moment.
///
/// An answer is counted as ended, and a closed connection as closed, a moment after the client can know of it; use
/// the server's waits where a test depends on that.
public struct LoopbackCounts: Sendable, Hashable {
    /// Connections that were accepted.
    public internal(set) var connectionsAccepted = 0
    /// Connections that are open now.
    public internal(set) var connectionsOpen = 0
    /// The most connections that were open at a time.
    public internal(set) var connectionsOpenAtMost = 0
    /// Requests that came whole.
    public internal(set) var requests = 0
    /// Requests that came whole and are not answered to the end yet.
    public internal(set) var requestsInProgress = 0
    /// The most requests that were in progress at a time.
    public internal(set) var requestsInProgressAtMost = 0
    /// Requests that broke HTTP's grammar and were answered with an error.
    public internal(set) var malformedRequests = 0
    /// Bytes received, heads and framing included.
    public internal(set) var bytesReceived = 0
    /// Bytes handed to the system for sending, heads and framing included.
    public internal(set) var bytesSent = 0
}
