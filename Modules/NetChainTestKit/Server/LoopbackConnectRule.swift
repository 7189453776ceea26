/// What the server does with a connection that it has just accepted, before any request.
public struct LoopbackConnectRule: Sendable {
    let pieces: [WirePiece]

    /// Serves it as usual; to let one pass in a sequence of rules.
    public static let serve = LoopbackConnectRule(pieces: [])
    /// Closes it at once (FIN).
    public static let close = LoopbackConnectRule(pieces: [.close])
    /// Resets it at once (RST).
    public static let reset = LoopbackConnectRule(pieces: [.reset])

    /// Sends these bytes without having been asked, then serves the connection as usual.
    public static func send(_ bytes: [UInt8]) -> LoopbackConnectRule {
        LoopbackConnectRule(pieces: [.bytes(bytes)])
    }
}
