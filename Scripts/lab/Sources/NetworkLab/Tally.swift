import NetChainKit
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the program prints: the requests by their outcome.
struct Report: Encodable {
    var sent = 0
    /// Requests with a response, whatever its status.
    var succeeded = 0
    /// The number of responses by status.
    var statuses: [String: Int] = [:]
    /// The ids of the failed requests by ``kind(of:)``.
    var failures: [String: [Int]] = [:]
    /// An error's description for each kind.
    var examples: [String: String] = [:]
    /// Why the sender sent requests again, by their ids.
    var resends: [String: String] = [:]
    /// Responses by the version of HTTP.
    var versions: [String: Int] = [:]
    /// The longest request, in seconds.
    var longest = 0.0
    /// From the cancellation of the request to `Arguments.silent` to its end, in seconds; nil without one.
    var cancellation: Double?
    /// From the first request to the last outcome, in seconds.
    var total = 0.0

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
    private let seconds: Duration?
    private let start = ContinuousClock.now

    init(count: Int, seconds: Duration?) {
        self.count = count
        self.seconds = seconds
    }

    /// The number of the next request, from 0; nil when all were sent.
    func next() -> Int? {
        if let seconds, ContinuousClock.now >= start + seconds { return nil }
        return state.withLock {
            guard $0.sent < count else { return nil }
            $0.sent += 1
            return $0.sent - 1
        }
    }

    func succeeded(status: Int, version: String) {
        state.withLock {
            $0.succeeded += 1
            $0.statuses["\(status)", default: 0] += 1
            $0.versions[version, default: 0] += 1
        }
    }

    func failed(_ id: Int, _ error: any Error) {
        let kind = Report.kind(of: error)
        state.withLock {
            $0.failures[kind, default: []].append(id)
            $0.examples[kind] = "\(error)"
        }
    }

    func resent(_ id: String, because reason: String) {
        state.withLock { $0.resends[id, default: ""] += reason }
    }

    func took(_ duration: Duration) {
        state.withLock { $0.longest = max($0.longest, duration / .seconds(1)) }
    }

    func report() -> Report {
        var report = state.withLock { $0 }
        report.total = (ContinuousClock.now - start) / .seconds(1)
        return report
    }
}
