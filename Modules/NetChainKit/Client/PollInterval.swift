import ResponseProcessing

/// The delays between the rounds of `poll(as:every:until:)`: `.seconds(1)`, `.exponential()`.
public struct PollInterval: Sendable {
    private let backoff: Backoff

    /// The same delay each time.
    public static func constant(_ delay: Duration) -> PollInterval {
        PollInterval(backoff: Backoff(initialDelay: delay, multiplier: 1, maximumDelay: delay, jitter: 0))
    }

    /// The same delay each time, in seconds.
    public static func seconds(_ seconds: Double) -> PollInterval {
        // A `Duration` traps on overflow, and for no number.
        constant(.seconds(seconds > 0 ? min(seconds, 3_000_000_000) : 0))
    }

    /// The same delay each time, in milliseconds.
    public static func milliseconds(_ milliseconds: Double) -> PollInterval {
        seconds(milliseconds / 1_000)
    }

    /// Delays that grow: 1 s, 2 s, 4 s … up to 30 s, each randomly shortened by up to a half.
    ///
    /// - Parameters:
    ///   - initialDelay: the first delay.
    ///   - multiplier: by how much each further delay is longer.
    ///   - maximumDelay: the longest delay.
    ///   - jitter: the random part of each delay, from 0 to 1.
    public static func exponential(
        initialDelay: Duration = .seconds(1), multiplier: Double = 2, maximumDelay: Duration = .seconds(30),
        jitter: Double = 0.5
    ) -> PollInterval {
        PollInterval(
            backoff: Backoff(
                initialDelay: initialDelay, multiplier: multiplier, maximumDelay: maximumDelay, jitter: jitter))
    }

    /// The delay after the round of this number, counted from 1.
    func delay(after round: Int) -> Duration {
        backoff.delay(after: round, chance: .random(in: 0...1))
    }
}
