import Logging

/// The metrics of one transfer. Times are measured from the start of its last hop. Phases that a failed transfer did
/// not reach are zero, and so are those of a reused connection.
public struct TransferMetrics: Equatable, Sendable {
    // `.zero` would be a function call for each property.
    /// Until the host's name was resolved.
    public var nameLookup: Duration = .seconds(0)
    /// Until the connection was made.
    public var connect: Duration = .seconds(0)
    /// Until the TLS handshake was done; zero without TLS.
    public var tls: Duration = .seconds(0)
    /// Until the request could be sent. Includes connecting, TLS and waiting in the queue for a connection. Zero when
    /// the request was not sent or the time is not known.
    public var requestStart: Duration = .seconds(0)
    /// Until the first byte of the response; zero when none arrived.
    public var firstByte: Duration = .seconds(0)
    /// Until the completion of the transfer.
    public var total: Duration = .seconds(0)
    /// Bytes of the request body that were sent.
    public var bytesSent: Int64 = 0
    /// Bytes of the response body that were received, as transferred.
    public var bytesReceived: Int64 = 0
    /// The protocol as in a status line, `HTTP/1.1` or `HTTP/2`; empty when not known.
    public var httpVersion = ""
    /// Whether the connection had served another request before.
    public var reusedConnection = false
    /// The server's IP address, or the path of its Unix domain socket; empty when not known.
    public var remoteAddress = ""
    /// The number of redirects that were followed.
    public var redirects = 0

    /// Creates empty metrics.
    public init() {}
}

extension TransferMetrics {
    /// The metrics in one line, with times in milliseconds. Phases that were not reached are left out.
    var text: String {
        guard total > .zero else { return "no metrics were measured" }
        let connection = reusedConnection ? "(connection reused)" : ""
        let head = [httpVersion, remoteAddress, connection].filter { !$0.isEmpty }
        let times = [
            ("lookup", nameLookup), ("connect", connect), ("tls", tls), ("first byte", firstByte), ("total", total),
        ]
        let reached = times.filter { $0.1 > .zero }.map { "\($0.0) \($0.1.inMilliseconds)" }
        return (head + [reached.joined(separator: ", ")]).joined(separator: " ")
            + "; \(bytesSent) B sent, \(bytesReceived) B received"
    }
}
