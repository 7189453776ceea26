#if os(Linux)
import CNetChainCurl

/// Owns one libcurl multi handle, which owns the connections. Used by the event loop's thread alone.
final class CurlMultiHandle {
    private let raw: UnsafeMutableRawPointer
    private unowned let handles: MultiHandles
    /// The number of transfers in progress: what libcurl reported last, with those that were added and removed since.
    private(set) var running: Int32 = 0
    /// The number of transfers that were added and not removed.
    private(set) var transfers = 0
    /// The number of connections that libcurl has opened and not closed.
    var openConnections = 0
    /// The servers whose addresses, which the handle caches, may be out of date.
    var doubts = AddressDoubts()
    /// What libcurl's timer callback has reported last; used by ``EpollDriver``.
    var timeout = Timeout.none
    /// What libcurl reports its sockets and timeouts to; nil while it doesn't.
    private(set) var driver: EpollDriver?
    /// libcurl's current connection limit.
    private var connectionLimit = -1
    private(set) var isOpen = true

    /// Returns nil if libcurl can't be initialized or has no memory.
    ///
    /// - Parameter handles: the event loop's handles.
    init?(_ handles: MultiHandles) {
        guard curlSetUp.isReady, let raw = curl_multi_init() else { return nil }
        self.raw = raw
        self.handles = handles
        netchain_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        // The server limits the streams of a connection. libcurl's own limit is 100.
        netchain_multi_set_long(raw, CURLMOPT_MAX_CONCURRENT_STREAMS, Int(Int32.max))
        limitConnections()
    }

    deinit {
        close()
    }

    /// Closes all connections. The handle must not be used after that.
    func close() {
        if isOpen { curl_multi_cleanup(raw) }
        isOpen = false
        driver = nil
    }

    /// The time of libcurl's next timeout.
    enum Timeout: Equatable {
        case none
        case at(Moment)
        case due
    }

    /// When libcurl's next timeout is due, unless it is.
    var deadline: Moment? {
        if case .at(let deadline) = timeout { deadline } else { nil }
    }

    /// Called by libcurl's timer callback.
    func setTimeout(_ milliseconds: Int) {
        timeout = milliseconds < 0 ? .none : milliseconds == 0 ? .due : .at(.now + .milliseconds(milliseconds))
    }

    /// The handle of a callback.
    static func of(_ context: UnsafeMutableRawPointer?) -> CurlMultiHandle? {
        context.map { Unmanaged<CurlMultiHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// How many connections have no transfer, unless some share one.
    var idleConnections: Int { max(0, openConnections - Int(running)) }

    /// Whether no further connection is opened.
    var isFull: Bool { max(openConnections, Int(running)) >= MultiHandles.capacity }

    /// Adds a transfer. It is sent when libcurl processes its timeout.
    func add(_ easy: CurlEasyHandle) -> CURLMcode {
        let result = curl_multi_add_handle(raw, easy.raw)
        if result == CURLM_OK {
            transfers += 1
            running += 1
            // A transfer that completes within its first call needs the new limit.
            limitConnections()
        }
        return result
    }

    func remove(_ easy: CurlEasyHandle) {
        curl_multi_remove_handle(raw, easy.raw)
        transfers -= 1
        if !easy.isCompleted { running -= 1 }
    }

    /// Returns the next transfer that has completed; nil if there is none.
    func nextCompleted() -> (easy: CurlEasyHandle, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let easy = CurlEasyHandle.of(raw)
            else { continue }
            easy.isCompleted = true
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    // MARK: Processing

    /// Has libcurl visit all transfers.
    func perform() {
        update { curl_multi_perform(raw, &$0) }
    }

    /// Has libcurl process events of a socket, or its timeout (`CURL_SOCKET_TIMEOUT`).
    func process(_ socket: Int32, _ events: Int32 = 0) {
        update { curl_multi_socket_action(raw, socket, events, &$0) }
    }

    private func update(_ body: (inout Int32) -> Void) {
        // Other handles may have more or fewer connections than before.
        limitConnections()
        // A copy, because callbacks may read the count.
        var count = running
        body(&count)
        guard count != running else { return }
        running = count
        limitConnections()
    }

    /// Sets the connection limit for the completion of the next transfer.
    ///
    /// libcurl's limit includes the connections in use. With a constant limit, libcurl would close each connection that
    /// becomes idle while many are in use.
    private func limitConnections() {
        let limit = max(1, max(0, Int(running) - 1) + handles.mostIdleConnections(of: self))
        guard limit != connectionLimit else { return }
        connectionLimit = limit
        netchain_multi_set_long(raw, CURLMOPT_MAXCONNECTS, limit)
    }

    // MARK: Waiting

    /// Waits for events on libcurl's sockets and on `descriptor`.
    ///
    /// - Parameter longest: the longest wait in milliseconds.
    /// - Returns: the number of descriptors with events, and whether `descriptor` is one of them.
    func wait(with descriptor: Int32, longest: Int32) -> (count: Int32, includesDescriptor: Bool) {
        var extra = curl_waitfd(fd: descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        var count: Int32 = 0
        // `curl_multi_poll` would poll one more descriptor, for `curl_multi_wakeup`.
        curl_multi_wait(raw, &extra, 1, longest, &count)
        return (count, extra.revents != 0)
    }

    /// Has libcurl report its sockets and timeouts, including those of transfers in progress.
    func report(
        sockets: curl_socket_callback, timeouts: curl_multi_timer_callback, to driver: EpollDriver
    ) {
        self.driver = driver
        let context = Unmanaged.passUnretained(self).toOpaque()
        netchain_multi_set_socket_function(raw, sockets, context)
        netchain_multi_set_timer_function(raw, timeouts, context)
        update { netchain_multi_tell_sockets(raw, &$0) }
        // Events that happened before the reports must be processed before the next wait.
        timeout = .due
    }

    func endReports() {
        driver = nil
        timeout = .none
        netchain_multi_set_socket_function(raw, nil, nil)
        netchain_multi_set_timer_function(raw, nil, nil)
    }
}

/// libcurl's global initialization, once per process. libcurl reads `SSLKEYLOGFILE` only then.
private let curlSetUp = (
    isReady: netchain_global_init() == CURLE_OK, hasKeyLog: netchain_environment_has_key_log() != 0
)

/// Whether libcurl logs TLS keys: the environment sets `SSLKEYLOGFILE`, or did when libcurl was initialized. The
/// initialization creates the file, so the environment is checked first.
var curlHasKeyLog: Bool { netchain_environment_has_key_log() != 0 || curlSetUp.hasKeyLog }
#endif
