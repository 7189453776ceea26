/// What the server does with a connection that it has just accepted, before any request.
public struct LoopbackConnectRule: Sendable {
    let pieces: [WirePiece]

    /// Serves the connection as usual, to skip it in a sequence of rules.
    public static let serve = LoopbackConnectRule(pieces: [])
    /// Closes the connection at once (FIN).
    public static let close = LoopbackConnectRule(pieces: [.close])
    /// Resets the connection at once (RST).
    public static let reset = LoopbackConnectRule(pieces: [.reset])

    /// Sends these unsolicited bytes, then serves the connection as usual.
    public static func send(_ bytes: [UInt8]) -> LoopbackConnectRule {
        LoopbackConnectRule(pieces: [.bytes(bytes)])
    }
}
