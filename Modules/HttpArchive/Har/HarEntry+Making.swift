import HttpMessages
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HarEntry {
    init(_ exchange: HarExchange, redaction: Redaction, recordsBodies: Bool) {
        let failure: String? =
            switch exchange.failure {
            case nil: nil
            case .error(let error): redaction.text("\(error)")
            case .canceled: "canceled"
            }
        let metrics = exchange.metrics
        let writer = HarWriter(redaction: redaction, recordsBodies: recordsBodies, httpVersion: metrics.httpVersion)
        startedDateTime = WallClock.text(exchange.startTime)
        timings = HarTimings(metrics, duration: exchange.duration, sent: exchange.sent)
        time = timings.sum
        request = writer.request(exchange)
        response = writer.response(exchange)
        let isIP = !metrics.remoteAddress.isEmpty && !metrics.remoteAddress.hasPrefix("/")
        serverIPAddress = isIP ? metrics.remoteAddress : nil
        let finalUrl = exchange.response.flatMap { response in
            response.url == exchange.request.url ? nil : redaction.url(response.url.absoluteString)
        }
        // Only for senders that don't report the single exchanges.
        let redirects = finalUrl == nil || metrics.redirects == 0 ? nil : "redirects followed: \(metrics.redirects)"
        self.finalUrl = finalUrl
        comment = failure ?? redirects
        error = failure
        attempt = exchange.request.attempt
    }
}

extension HarTimings {
    /// Creates the timings from the measured phases. Unmeasured time, such as that in the queue, is `blocked`.
    ///
    /// If no response started, the rest of the time belongs to the phase in progress: the lookup, the connection with
    /// TLS, or the wait.
    ///
    /// - Parameter sent: the time until the last byte of the request was sent; nil when not known.
    init(_ metrics: TransferMetrics, duration: Duration, sent: Duration? = nil) {
        guard metrics.total > .zero else {
            wait = duration.milliseconds
            return
        }
        blocked = max(duration - metrics.total, .zero).milliseconds
        let connected: Duration
        if metrics.reusedConnection {
            connected = min(metrics.requestStart, metrics.total)
            // With a reused connection, the time before the request is sent is spent waiting for that connection.
            blocked = (max(duration - metrics.total, .zero) + connected).milliseconds
        } else {
            let wasSent = metrics.requestStart > .zero || metrics.firstByte > .zero
            let isResolved = wasSent || metrics.nameLookup > .zero
            connected = wasSent ? max(metrics.connect, metrics.tls) : metrics.total
            dns = (isResolved ? metrics.nameLookup : metrics.total).milliseconds
            if isResolved { connect = max(connected - metrics.nameLookup, .zero).milliseconds }
            if metrics.tls > .zero { ssl = max(metrics.tls - metrics.connect, .zero).milliseconds }
        }
        let answered = metrics.firstByte > .zero ? max(metrics.firstByte, connected) : metrics.total
        let allSent = min(max(sent ?? connected, connected), answered)
        send = (allSent - connected).milliseconds
        wait = (answered - allSent).milliseconds
        receive = max(metrics.total - answered, .zero).milliseconds
    }
}

extension Duration {
    /// Milliseconds, rounded to whole microseconds.
    fileprivate var milliseconds: Double {
        (self / .microseconds(1)).rounded() / 1000
    }
}
