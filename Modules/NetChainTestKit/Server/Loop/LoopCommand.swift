/// A command of another thread to the loop's thread.
enum LoopCommand: Sendable {
    /// Adds pieces after those that are pending on a connection.
    case enqueue(connection: Int, [WirePiece])
    /// Fails the waiter at that time, if it still waits.
    case deadline(waiter: Int, ContinuousClock.Instant)
    /// Closes the connections that wait for a request, then resumes the waiter.
    case closeIdle(resetting: Bool, waiter: Int)
    /// Resumes reading on connections where an upload rule stopped it.
    case resumeReading
    /// Closes everything and ends the thread.
    case stop
}
