/// What other threads ask of the loop's thread.
enum LoopCommand: Sendable {
    /// Do these things on a connection, after what it still has to do.
    case enqueue(connection: Int, [WirePiece])
    /// End the waiter at that time, if it still waits.
    case deadline(waiter: Int, ContinuousClock.Instant)
    /// Close the connections that wait for a request, then settle the waiter.
    case closeIdle(resetting: Bool, waiter: Int)
    /// Read on where an upload rule stopped reading.
    case resumeReading
    /// Close everything and end the thread.
    case stop
}
