/// What the server does while the body of a request arrives. A request without a body is not affected.
///
///     server.whileReceiving(.post, "/upload", .reset(afterBytes: 100_000))
public struct LoopbackUploadRule: Sendable {
    enum Cut: Sendable {
        case answer(LoopbackResponse)
        case stopReading
    }

    var keepsBody = true
    var sendsContinue = true
    var cut: (afterBytes: Int, action: Cut)?

    /// Counts the body and computes its checksum instead of keeping it, for bodies that are too big for memory.
    package static let discard = LoopbackUploadRule(keepsBody: false)
    /// Sends no 100 (Continue) for `Expect: 100-continue`, so that the client must decide by itself when to send the
    /// body.
    package static let withoutContinue = LoopbackUploadRule(sendsContinue: false)

    /// Responds once at least `count` bytes of the body have arrived, without waiting for the rest, then closes. With 0
    /// it responds to the head alone, and `Expect: 100-continue` gets this response instead of 100.
    public static func answer(afterBytes count: Int, _ response: LoopbackResponse) -> LoopbackUploadRule {
        LoopbackUploadRule(sendsContinue: count > 0, cut: (count, .answer(response)))
    }

    /// Closes (FIN) once at least `count` bytes of the body have arrived.
    public static func close(afterBytes count: Int) -> LoopbackUploadRule {
        answer(afterBytes: count, .close)
    }

    /// Resets (RST) once at least `count` bytes of the body have arrived.
    public static func reset(afterBytes count: Int) -> LoopbackUploadRule {
        answer(afterBytes: count, .reset)
    }

    /// Stops reading once at least `count` bytes of the body have arrived, so that the client can't send more, until
    /// `resumeReading()` of the server.
    package static func stopReading(afterBytes count: Int) -> LoopbackUploadRule {
        LoopbackUploadRule(cut: (count, .stopReading))
    }
}
