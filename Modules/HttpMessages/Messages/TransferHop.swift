import Logging
import NodeCore
import Synchronization

/// One exchange with a server, with the details that a recorder needs and the response doesn't contain.
package struct TransferHop: Sendable {
    /// The time of a start, by both clocks.
    package struct Start: Sendable {
        /// In seconds since 1970-01-01 00:00 UTC.
        package let time = WallClock.now
        package let instant = ContinuousClock.now

        package init() {}
    }

    /// The original request, or the one that a redirect led to.
    package let request: HttpRequest
    /// When the sender accepted it.
    package let start = Start()
    /// When it completed; nil while it is in progress, and for a canceled one.
    package fileprivate(set) var end: ContinuousClock.Instant?
    /// The request line and header lines as sent, those that the sender added included. Empty when nothing was sent or
    /// the sender can't report them.
    package var sentHead: [UInt8] = []
    /// When the last byte of the request was sent; nil when not known.
    package var lastSent: ContinuousClock.Instant?
    /// The response. Its body may be incomplete when there is a failure too.
    package var response: HttpResponse?
    /// The status line of the response, and the size in bytes of its head with the status line.
    package var statusLine: [UInt8] = []
    package var responseHeadSize = 0
    package var failure: TransportError?
}

/// Records the hops of one transfer. The sender writes to it. May be used from any thread.
package final class HopLog: Sendable {
    private let hops = Mutex<[TransferHop]?>([])
    private let outer: HopLog?

    /// Creates an empty log.
    ///
    /// - Parameter outer: a log that records the same hops, for nested recorders.
    package init(outer: HopLog? = nil) {
        self.outer = outer
    }

    /// Whether a recorder still needs the hops.
    package var isOpen: Bool {
        hops.withLock { $0 != nil } || outer?.isOpen == true
    }

    package func begin(_ request: HttpRequest) {
        outer?.begin(request)
        hops.withLock { $0?.append(TransferHop(request: request)) }
    }

    /// Completes the hop in progress; `change` adds its details. Called before the transfer settles.
    package func end(_ change: (inout TransferHop) -> Void) {
        outer?.end(change)
        hops.taking { hops in
            guard let old = hops?.popLast() else { return TransferHop?.none }
            var hop = old
            hop.end = .now
            change(&hop)
            hops?.append(hop)
            return old
        }
    }

    /// Removes the hop in progress, which was not sent and will be restarted.
    package func discard() {
        outer?.discard()
        // The request holds objects of the caller.
        hops.taking { $0?.popLast() }
    }

    /// Returns the recorded hops. Later ones are not recorded.
    package func close() -> [TransferHop] {
        hops.taking { hops in
            defer { hops = nil }
            return hops ?? []
        }
    }
}
