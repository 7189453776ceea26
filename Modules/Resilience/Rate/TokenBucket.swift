/// A token bucket, as the virtual scheduling of the generic cell rate algorithm (ITU-T I.371 Annex A): instead of a
/// number of tokens it keeps the time at which the bucket will be full. So it needs no timer and no floating point. Times
/// are durations since a time of the caller's choice.
struct TokenBucket: Sendable {
    /// The time in which one token arrives; zero for any number of tokens.
    private let interval: Duration
    /// How long before its time a token may be taken: the others of a burst.
    private let tolerance: Duration
    /// When the bucket is full; nil before the first token is taken.
    private var fullAt: Duration?
    /// Until when no token is given out.
    private var pausedUntil: Duration?

    /// - Parameters:
    ///   - count: how many tokens arrive in `time`; at least 1.
    ///   - time: at most a hundred years. Any number of tokens arrives in a time that isn't longer than zero.
    ///   - burst: how many tokens the bucket holds: from 1 to a billion.
    init(count: Int, per time: Duration, burst: Int) {
        // A `Duration` traps on overflow, and the settings may be anything.
        interval = min(max(.zero, time), .seconds(3_000_000_000)) / max(1, count)
        tolerance = interval * (min(max(1, burst), 1_000_000_000) - 1)
    }

    /// Takes a token, if there is one.
    mutating func take(at now: Duration) -> Bool {
        if let pausedUntil {
            guard now >= pausedUntil else { return false }
            self.pausedUntil = nil
        }
        guard let fullAt, fullAt > now else {
            fullAt = now + interval
            return true
        }
        guard fullAt - now <= tolerance else { return false }
        self.fullAt = fullAt + interval
        return true
    }

    /// Returns a token that was taken and not used.
    mutating func giveBack() {
        fullAt = fullAt.map { $0 - interval }
    }

    /// Gives out no token before `end`. The later of two ends counts.
    mutating func pause(until end: Duration) {
        pausedUntil = max(pausedUntil ?? end, end)
    }

    /// When the next token can be taken: `now` or later.
    func nextToken(after now: Duration) -> Duration {
        max(now, pausedUntil ?? now, fullAt.map { $0 - tolerance } ?? now)
    }
}
