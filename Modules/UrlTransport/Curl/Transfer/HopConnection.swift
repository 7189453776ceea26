#if os(Linux)
/// What is known of the connection that a hop uses.
struct HopConnection {
    /// The connection that the request was sent over; nil while it is unknown.
    var used: Connection?
    /// The socket that was opened last for this hop.
    var openedSocket: Int32?
    /// The `errno` of the last socket that couldn't be opened; 0 for none. libcurl doesn't report it.
    var socketError: Int32 = 0
    /// The TLS session of ``used``, if streams are observed.
    var tlsSession: UnsafeRawPointer?
    /// The number of the request's stream, with HTTP/2.
    var stream: Int?
    /// Whether the server requested a client certificate in the TLS handshake of a new connection.
    var hasCertificateRequest = false
    /// Whether the server has announced the end of its data (close_notify, RFC 8446 §6.1).
    var hasCloseNotify = false

    /// Whether the server has said that it doesn't process the request's stream.
    var isExcluded: Bool {
        guard let stream, let last = used?.lastStream else { return false }
        return stream > last
    }
}
#endif
