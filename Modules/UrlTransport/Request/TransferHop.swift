import Logging
import Synchronization

/// One exchange with a server on the way to an answer: what a recorder wants to know and the answer does not tell.
package struct TransferHop: Sendable {
    /// When something began, by both clocks.
    package struct Start: Sendable {
        /// In seconds since 1970-01-01 00:00 UTC.
        package let time = WallClock.now
        package let instant = ContinuousClock.now

        package init() {}
    }

    /// The request itself, or what a redirect made of it.
    package let request: HttpRequest
    /// When the sender took it up.
    package let start = Start()
    /// When it ended; nil while it is in progress, and for one that was canceled.
    package fileprivate(set) var end: ContinuousClock.Instant?
    /// The request line and header lines as they went out, those that the sender added included; empty when nothing was
    /// sent or the sender can't tell.
    package var sentHead: [UInt8] = []
    /// When the last byte of the request went out, where known.
    package var lastSent: ContinuousClock.Instant?
    /// The answer, of which the body may not be whole when there is a failure too.
    package var answer: HttpResponse?
    /// The answer's status line, and how large it is with the header lines.
    package var statusLine: [UInt8] = []
    package var answerHeadSize = 0
    /// What went wrong.
    package var failure: TransportError?
}

/// Gathers the hops of one transfer. A sender that is handed one writes it; may be used from any thread.
package final class HopLog: Sendable {
    private let hops = Mutex<[TransferHop]?>([])
    private let outer: HopLog?

    /// Creates an empty log.
    ///
    /// - Parameter outer: another one that wants to know the same: that of a recorder around a recorder.
    package init(outer: HopLog? = nil) {
        self.outer = outer
    }

    /// Whether anybody still wants to know.
    package var isOpen: Bool {
        hops.withLock { $0 != nil } || outer?.isOpen == true
    }

    /// A hop begins.
    package func begin(_ request: HttpRequest) {
        outer?.begin(request)
        hops.withLock { $0?.append(TransferHop(request: request)) }
    }

    /// The hop in progress has ended; `change` adds what is known of it. Called before the transfer settles.
    package func end(_ change: (inout TransferHop) -> Void) {
        outer?.end(change)
        hops.withLock { hops in
            guard var hop = hops?.popLast() else { return }
            hop.end = .now
            change(&hop)
            hops?.append(hop)
        }
    }

    /// The hop in progress ended before anything was sent, and will be restarted.
    package func discard() {
        outer?.discard()
        // A request holds objects of the caller: it's released after unlocking.
        let old = hops.withLock { $0?.popLast() }
        withExtendedLifetime(old) {}
    }

    /// All that was gathered; what comes later is not kept.
    package func close() -> [TransferHop] {
        hops.withLock { hops in
            defer { hops = nil }
            return hops ?? []
        }
    }
}
