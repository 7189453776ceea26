#if os(Linux)
/// A connection of an event loop, from the opening of its socket to its close.
struct Connection {
    /// Tells a connection from a later one whose socket has the same descriptor.
    struct Id: Hashable, Sendable {
        let socket: Int32
        let number: Int
    }

    /// The addresses that libcurl reports of the connection that it has chosen for a request.
    struct Addresses: Hashable {
        let remote: String
        let remotePort: Int32
        let localPort: Int32
    }

    let id: Id
    let opened = Moment.now
    /// nil until libcurl has reported them.
    var addresses: Addresses?
    /// The origin that the first request was sent to.
    var origin: Origin?
    /// Whether a response of HTTP/1 was received, for good: a server may write another version into a later one. nil before
    /// the first response.
    var isHttp1: Bool?
    /// When the last byte of a response was received.
    var lastReceived: Moment?
    var health = ConnectionHealth.connecting
}
#endif
