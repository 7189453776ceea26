/// The server's counts since its start, at one moment.
///
/// The end of a response and the close of a connection are counted shortly after the client can detect them. A test
/// that depends on the counts uses the server's waits.
package struct LoopbackCounts: Sendable {
    package internal(set) var connectionsAccepted = 0
    package internal(set) var connectionsOpen = 0
    package internal(set) var connectionsOpenAtMost = 0
    /// Complete requests.
    package internal(set) var requests = 0
    /// Complete requests whose response is not complete.
    package internal(set) var requestsInProgress = 0
    /// The most requests that were in progress at once.
    package internal(set) var requestsInProgressAtMost = 0
    /// Malformed requests, which got an error response.
    package internal(set) var malformedRequests = 0
    /// Bytes received, heads and framing included.
    package internal(set) var bytesReceived = 0
    /// Bytes handed to the system for sending, heads and framing included.
    package internal(set) var bytesSent = 0
}
