#if os(Linux)
/// The servers whose addresses may be out of date, by host and port.
struct AddressDoubts {
    /// More than the servers that an application talks to at a time.
    private static let most = 1_000

    private var servers: Set<String> = []

    /// Records that a connection to the server failed, or a request to it timed out.
    mutating func add(_ server: String) {
        if servers.count >= Self.most { servers.removeAll() }
        servers.insert(server)
    }

    /// Whether addresses of the server may be out of date. The caller must have the name resolved anew.
    mutating func take(_ server: @autoclosure () -> String) -> Bool {
        !servers.isEmpty && servers.remove(server()) != nil
    }
}
#endif
