#if os(Linux)
import CNetChainCurl
import HttpMessages

/// One exchange with a server, while libcurl performs it. A redirect's next hop and a second sending are separate
/// hops. Used by the event loop's thread alone.
final class Hop {
    /// The first property, so that it is released first: libcurl may call back while it cleans the handle up.
    let easy: CurlEasyHandle
    /// What ``easy`` is used for. It is no longer usual after an option was set during the hop.
    @exclusivity(unchecked) var kind: HandleKind
    let transfer: CurlTransfer
    let plan: HopPlan
    /// The connections of the origin that the hop may use.
    let part: Pool.Part
    let multi: CurlMultiHandle
    let table: ConnectionTable
    @exclusivity(unchecked) var exchange = Exchange()
    /// The fields of the last head.
    @exclusivity(unchecked) var headers = HeaderBlock()
    @exclusivity(unchecked) var connection = HopConnection()
    @exclusivity(unchecked) var times = HopTimes()
    @exclusivity(unchecked) var progress = HopProgress()
    /// The hop's cookies, if it keeps them apart from the shared ones.
    var cookies: HopCookies?
    /// Detects a stall; nil without a limit.
    var stallClock: StallClock?
    /// The trace for a recorder; nil without one.
    @exclusivity(unchecked) var trace: HopTrace?
    /// libcurl's result; nil while it performs the hop.
    @exclusivity(unchecked) var result: CURLcode?

    /// Returns nil if libcurl has no memory.
    init?(
        _ transfer: CurlTransfer, _ plan: HopPlan, _ table: ConnectionTable, _ part: Pool.Part,
        _ multi: CurlMultiHandle, _ spares: inout SpareHandles
    ) {
        trace = HopTrace(plan.hopLog)
        if plan.mayBeHttp2, !plan.request.mayBeSentTwice { table.observesStreams = true }
        let isToMemory = if case .memory = transfer.options.destination { true } else { false }
        kind = HandleKind(
            plan, isToMemoryAlone: isToMemory && transfer.options.onProgress == nil,
            observesReports: trace != nil || plan.mayBeHttp2 && table.observesStreams)
        guard let easy = spares.take(kind) ?? CurlEasyHandle() else { return nil }
        self.easy = easy
        self.plan = plan
        self.transfer = transfer
        self.part = part
        self.multi = multi
        self.table = table
        easy.hop = self
    }

    /// Returns the hop of a callback. While libcurl may call back, the event loop retains the transfer, and the transfer
    /// its hop, except while the hop is being released with its handle.
    static func of(_ context: UnsafeRawPointer?) -> Hop? {
        guard let context else { return nil }
        let hop = Unmanaged<CurlEasyHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.hop }
        return hop.map { unsafeDowncast($0, to: Hop.self) }
    }

    static func of(easy: UnsafeMutableRawPointer) -> Hop? {
        var context: UnsafePointer<CChar>?
        guard netchain_get_string(easy, CURLINFO_PRIVATE, &context) == CURLE_OK else { return nil }
        return of(context)
    }

    /// Whether another hop may use the handle, which libcurl has completed with this result.
    func mayHandleBeUsedAgain(_ result: CURLcode) -> Bool {
        kind.isUsual && result == CURLE_OK && exchange.abortReason == nil && hasWholeResponse
            // Of an address that didn't connect, for instance. libcurl 8.5 would report it for the next hop, too.
            && easy.long(CURLINFO_OS_ERRNO) == 0
    }

    /// Whether libcurl has begun the hop. Before that, a handle that is used again reports its last hop.
    var hasBegun: Bool { times.sendStart != nil || connection.openedSocket != nil || result != nil }

    var request: HttpRequest { plan.request }

    var configuration: CurlConfiguration { plan.settings.configuration }

    /// Whether the final response was received to its end, whatever became of the request's body.
    var hasWholeResponse: Bool { transfer.responseBody?.isWhole ?? false }
}

struct HopTimes {
    /// When the hop was passed to libcurl.
    let start = Moment.now
    var sendStart: Moment?
    var firstByte: Moment?
}

/// What was reported to the caller's progress handler, and whether there is more.
struct HopProgress {
    var lastReport: Moment?
    var sent: Int64 = 0
    var received: Int64 = 0
    /// Whether bytes that came too soon after the last report are reported later.
    var isDue = false
}

/// Records what libcurl sends in a hop, and when. Only libcurl knows the headers that it adds, so its debug callback
/// reports each piece of data.
struct HopTrace {
    let hopLog: HopLog
    /// The head of the request as libcurl sent it.
    private(set) var sentHead: [UInt8] = []
    private(set) var lastSent: ContinuousClock.Instant?
    /// The status line of the last head.
    var statusLine: [UInt8] = []

    /// Returns nil without an open log.
    init?(_ hopLog: HopLog?) {
        guard let hopLog, hopLog.isOpen else { return nil }
        self.hopLog = hopLog
    }

    mutating func didSend(_ type: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch type {
        case CURLINFO_HEADER_OUT:
            // Another head after a complete one: the request after CONNECT, or the same request over another
            // connection.
            if sentHead.suffix(4).elementsEqual("\r\n\r\n".utf8) { sentHead = [] }
            sentHead.append(contentsOf: bytes)
            lastSent = .now
        case CURLINFO_DATA_OUT: lastSent = .now
        default: break
        }
    }

    /// Writes the result of the hop to the log.
    ///
    /// - Parameters:
    ///   - response: the response as received, complete or not.
    ///   - headerBytes: bytes of the response's fields.
    func write(_ response: HttpResponse?, _ failure: TransportError?, headerBytes: Int) {
        let wentToProxy = sentHead.starts(with: "CONNECT ".utf8)
        hopLog.end { hop in
            hop.sentHead = wentToProxy ? [] : sentHead
            hop.lastSent = lastSent
            hop.response = response
            hop.failure = failure
            hop.statusLine = response == nil ? [] : statusLine
            hop.responseHeadSize = statusLine.count + headerBytes + 2
        }
    }
}
#endif
