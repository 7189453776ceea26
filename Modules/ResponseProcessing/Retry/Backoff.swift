/// Delays that grow exponentially, with jitter.
package struct Backoff: Sendable {
    package var initialDelay: Duration
    package var multiplier: Double
    package var maximumDelay: Duration
    /// The random part of each delay, from 0 to 1.
    package var jitter: Double

    /// Creates delays.
    package init(initialDelay: Duration, multiplier: Double, maximumDelay: Duration, jitter: Double) {
        self.initialDelay = initialDelay
        self.multiplier = multiplier
        self.maximumDelay = maximumDelay
        self.jitter = jitter
    }

    /// The delay after the attempt of this number, counted from 1.
    ///
    /// - Parameter chance: a random number from 0 to 1.
    package func delay(after attempt: Int, chance: Double) -> Duration {
        // In seconds and at most a hundred years, since a `Duration` traps on overflow.
        let longest = min(max(0, maximumDelay / .seconds(1)), 3_000_000_000)
        var seconds = max(0, initialDelay / .seconds(1))
        if seconds > 0, multiplier > 1 { seconds *= multiplier.raised(to: max(1, attempt) - 1) }
        seconds = min(seconds, longest)
        seconds -= seconds * min(1, max(0, jitter)) * min(1, max(0, chance))
        return .microseconds(Int64((seconds * 1_000_000).rounded()))
    }
}

extension Double {
    /// This number to the power of `exponent`, in as many steps as that has binary digits.
    fileprivate func raised(to exponent: Int) -> Double {
        var (power, square, rest) = (1.0, self, exponent)
        while rest > 0 {
            if rest & 1 == 1 { power *= square }
            square *= square
            rest >>= 1
        }
        return power
    }
}
