import NetChainKit
import Synchronization

/// What the program prints: the requests by their outcome.
struct Report: Encodable {
    var sent = 0
    /// The number of responses by status.
    var statuses: [String: Int] = [:]
    /// The ids of the failed requests by ``kind(of:)``.
    var failures: [String: [Int]] = [:]
    /// An error's description for each kind.
    var examples: [String: String] = [:]
    /// The longest request, in seconds.
    var longest = 0.0
    /// From the cancellation of the request to `Arguments.silent` to its end, in seconds; nil without one.
    var cancellation: Double?

    /// What failures are grouped by.
    static func kind(of error: any Error) -> String {
        let cause = (error as? TechnicalError)?.cause ?? error as? TransportError
        guard let cause else { return "\(type(of: error))" }
        return "\(cause.code), wasProcessed \(cause.wasProcessed)"
    }
}

/// Counts outcomes from any thread.
final class Tally: Sendable {
    private let state = Mutex(Report())
    private let count: Int
    private let end: ContinuousClock.Instant?

    init(count: Int?, seconds: Double?) {
        self.count = count ?? .max
        end = seconds.map { .now + .seconds($0) }
    }

    var report: Report { state.withLock { $0 } }

    /// The number of the next request, from 0; nil when all were sent.
    func next() -> Int? {
        if let end, .now >= end { return nil }
        return state.withLock {
            guard $0.sent < count else { return nil }
            $0.sent += 1
            return $0.sent - 1
        }
    }

    func succeeded(status: Int) {
        state.withLock { $0.statuses["\(status)", default: 0] += 1 }
    }

    func failed(_ id: Int, _ error: any Error) {
        let kind = Report.kind(of: error)
        state.withLock {
            $0.failures[kind, default: []].append(id)
            $0.examples[kind] = "\(error)"
        }
    }

    func took(_ duration: Duration) {
        state.withLock { $0.longest = max($0.longest, duration / .seconds(1)) }
    }
}
