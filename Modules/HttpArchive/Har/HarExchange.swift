import HttpMessages
import Logging
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One exchange with a server as a recorder keeps it, or one attempt of a sender that doesn't report exchanges.
struct HarExchange: Sendable {
    enum Failure: Sendable {
        case error(any Error)
        case canceled
    }

    var request: HttpRequest
    /// Whether the request's body is a stream, whose bytes are not recorded.
    let isStreamed: Bool
    var response: HttpResponse?
    let failure: Failure?
    let startTime: Double
    let duration: Duration
    /// The time from the hop's start until the last byte of the request was sent; nil when not known.
    let sent: Duration?
    /// The head of the request as sent; empty when not known.
    let sentHead: [UInt8]
    let statusText: String
    let responseHeadSize: Int?
    /// In bytes; -1 when not known.
    let requestSize: Int64
    let responseSize: Int

    private init(
        _ hop: TransferHop?, request: HttpRequest, response: HttpResponse?, failure: Failure?,
        start: TransferHop.Start
    ) {
        self.request = request
        isStreamed = request.body.stream != nil
        self.response = response
        self.failure = failure
        startTime = start.time
        duration = (hop?.end ?? .now) - start.instant
        sent = hop.flatMap { hop in hop.lastSent.map { $0 - hop.start.instant } }
        sentHead = hop?.sentHead ?? []
        statusText = hop?.statusText ?? ""
        responseHeadSize = hop?.responseHeadSize
        let length: Int64? = request.body.length
        requestSize = length ?? response?.metrics.bytesSent ?? -1
        // The size of a file or a stream is that of its encoded body.
        responseSize = response.map { $0.isInMemory ? $0.data.count : Int($0.metrics.bytesReceived) } ?? 0
    }

    /// Returns the exchanges of one attempt. `hops` is empty for a sender that doesn't report them.
    ///
    /// - Parameter stream: how the stream of a response ended.
    static func exchanges(
        of request: HttpRequest, _ outcome: Outcome<HttpResponse>, stream: ByteBuffer.End? = nil,
        start: TransferHop.Start, hops: [TransferHop]
    ) -> [HarExchange] {
        var response: HttpResponse?
        var failure: Failure?
        switch outcome {
        case .completed(let value): response = value
        case .failed(let error): failure = .error(error)
        case .canceled: failure = .canceled
        }
        switch stream?.outcome {
        case .failed(let error): failure = .error(error)
        case .canceled: failure = .canceled
        case .completed, nil: break
        }
        guard let last = hops.last else {
            return [HarExchange(nil, request: request, response: response, failure: failure, start: start)]
        }
        var exchanges: [HarExchange] = []
        for hop in hops.dropLast() {
            // The first exchange includes the time in the queue.
            let start = exchanges.isEmpty ? start : hop.start
            exchanges.append(
                HarExchange(
                    hop, request: hop.request, response: hop.response, failure: hop.failure.map { .error($0) },
                    start: start))
        }
        exchanges.append(
            HarExchange(
                last, request: last.request, response: response ?? last.response, failure: failure,
                start: hops.count == 1 ? start : last.start))
        return exchanges
    }

    /// The headers as sent; nil when not known.
    var sentHeaders: HttpHeaders? {
        guard let end = sentHead.firstIndex(of: 0x0A) else { return nil }
        return HttpHeaders(block: HeaderBlock(bytes: Array(sentHead[(end + 1)...])))
    }

    /// The metrics of the response or of the error.
    var metrics: TransferMetrics {
        if let response, response.metrics.total > .zero { return response.metrics }
        guard case .error(let error as TransportError) = failure else { return TransferMetrics() }
        return error.metrics ?? TransferMetrics()
    }

    /// Returns a copy without the bodies that are not recorded, to save memory, and without the progress handler.
    func keeping(_ bodies: HarRecorder.Bodies) -> HarExchange {
        let limit = if case .upTo(let bytes) = bodies { bytes } else { 0 }
        var copy = self
        copy.request.options = RequestOptions()
        copy.request.options.redaction = request.options.redaction
        let inMemory = request.body.segments.reduce(0) { sum, segment in
            if case .data(let data) = segment { sum + data.count } else { sum }
        }
        if inMemory > limit || isStreamed { copy.request.body = .empty }
        copy.response?.request = copy.request
        // Retaining the stream would retain the transfer.
        copy.response?.bytes = nil
        if responseSize > limit { copy.response?.data = Data() }
        return copy
    }
}

extension HttpResponse {
    fileprivate var isInMemory: Bool {
        if case .stream = request.options.destination { data.isEmpty == false } else { file == nil }
    }
}

extension TransferHop {
    /// The reason phrase (RFC 9112 §4).
    fileprivate var statusText: String {
        let words = String(decoding: statusLine, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count == 3 else { return "" }
        return String(words[2].prefix { !$0.isNewline })
    }
}
