/// One step of a connection's output: bytes, a pause, or the connection's end.
enum WirePiece: Sendable {
    case bytes([UInt8])
    /// The block, repeated: `count` bytes in all, or endlessly with `nil`.
    case repeating([UInt8], count: Int?)
    /// Paces what follows: at most `step` bytes at a time, each followed by a pause. A `step` of 0 ends the pacing.
    case pace(step: Int, interval: Duration)
    case pause(Duration)
    /// The response of this exchange is complete; the next request may be parsed.
    case finished(exchange: Int)
    /// Notifies the waiter with that number that everything before was written to the socket.
    case notify(waiter: Int)
    /// Closes with FIN.
    case close
    /// Closes with RST.
    case reset
    /// Sends nothing more.
    case stall
}

extension WirePiece {
    /// ``repeating(_:count:)`` with the block enlarged to more than 32 KiB, for few system calls.
    static func repeated(_ block: [UInt8], count: Int?) -> WirePiece {
        // Doubled, because appending byte by byte takes 0.1 s in a debug build under Thread Sanitizer.
        var long = block
        while !long.isEmpty, long.count <= 32_768 { long += long }
        return .repeating(long, count: count)
    }
}
