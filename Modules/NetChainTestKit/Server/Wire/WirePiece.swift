/// One thing that a connection does in turn: bytes that it sends, a pause, or its end.
enum WirePiece: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// The block over and over, this many bytes in all or, with `nil`, for ever.
    case repeating([UInt8], count: Int?)
    /// From here on at most `step` bytes at a time, with a pause between; without a pause again where `step` is 0.
    case pace(step: Int, interval: Duration)
    /// Nothing for this long.
    case pause(Duration)
    /// The answer to this exchange is complete; the next request may be looked at.
    case finished(exchange: Int)
    /// Tells the waiter of that number that everything before was handed to the system.
    case notify(waiter: Int)
    /// Closes with FIN.
    case close
    /// Closes with RST.
    case reset
    /// Nothing more is ever sent.
    case stall
}

extension WirePiece {
    /// ``repeating(_:count:)`` with the block made long enough for few system calls.
    static func repeated(_ block: [UInt8], count: Int?) -> WirePiece {
        // Doubled, not joined byte by byte: that takes a tenth of a second in a debug build under Thread Sanitizer.
        var long = block
        while !long.isEmpty, long.count <= 32_768 { long += long }
        return .repeating(long, count: count)
    }
}
