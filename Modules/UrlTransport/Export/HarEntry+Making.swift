import Logging
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HarEntry {
    init(_ exchange: HarExchange, redaction: Redaction, recordsBodies: Bool) {
        var response: UrlDataResponse?
        var failure: String?
        switch exchange.outcome {
        case .completed(let answer): response = answer
        case .failed(let error): failure = redaction.text("\(error)")
        case .canceled: failure = "canceled"
        }
        let metrics = response?.metrics ?? TransferMetrics()
        let writer = HarWriter(redaction: redaction, recordsBodies: recordsBodies, httpVersion: metrics.httpVersion)
        startedDateTime = WallClock.text(exchange.start.time)
        timings = HarTimings(metrics, duration: exchange.duration)
        time = timings.sum
        request = writer.request(exchange)
        self.response = writer.response(response, exchange)
        serverIPAddress = metrics.remoteAddress.isEmpty ? nil : metrics.remoteAddress
        let redirects = metrics.redirects == 0 ? nil : "redirects followed: \(metrics.redirects)"
        comment = failure ?? redirects
        error = failure
        finalUrl = response.flatMap { answer in
            answer.url == exchange.request.url ? nil : redaction.url(answer.url.absoluteString)
        }
        attempt = exchange.request.attempt
    }
}

extension HarTimings {
    /// What the sender measured, and what it didn't (waiting in line, redirects before the last hop) as `blocked`.
    init(_ metrics: TransferMetrics, duration: Duration) {
        guard metrics.total > .zero else {
            wait = duration.milliseconds
            return
        }
        let connected = metrics.reusedConnection ? .zero : max(metrics.connect, metrics.tls)
        blocked = max(duration - metrics.total, .zero).milliseconds
        if !metrics.reusedConnection {
            dns = metrics.nameLookup.milliseconds
            connect = max(connected - metrics.nameLookup, .zero).milliseconds
            if metrics.tls > .zero { ssl = max(metrics.tls - metrics.connect, .zero).milliseconds }
        }
        wait = max(metrics.firstByte - connected, .zero).milliseconds
        receive = max(metrics.total - max(metrics.firstByte, connected), .zero).milliseconds
    }
}

extension Duration {
    /// Whole microseconds, as a number of milliseconds.
    fileprivate var milliseconds: Double {
        (self / .microseconds(1)).rounded() / 1000
    }
}
