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
    var answer: HttpResponse?
    let failure: Failure?
    let startTime: Double
    let duration: Duration
    /// The time from the hop's start until the last byte of the request was sent; nil when not known.
    let sent: Duration?
    /// The head of the request as sent; empty when not known.
    let sentHead: [UInt8]
    let statusText: String
    let answerHeadSize: Int?
    /// In bytes; -1 when not known.
    let requestSize: Int64
    let responseSize: Int

    private init(
        _ hop: TransferHop?, request: HttpRequest, answer: HttpResponse?, failure: Failure?,
        start: TransferHop.Start
    ) {
        self.request = request
        self.answer = answer
        self.failure = failure
        startTime = start.time
        duration = (hop?.end ?? .now) - start.instant
        sent = hop.flatMap { hop in hop.lastSent.map { $0 - hop.start.instant } }
        sentHead = hop?.sentHead ?? []
        statusText = hop?.statusText ?? ""
        answerHeadSize = hop?.answerHeadSize
        let length: Int64? = request.body.length
        requestSize = length ?? answer?.metrics.bytesSent ?? -1
        // The size of a file or a stream is that of its encoded body.
        responseSize = answer.map { $0.isInMemory ? $0.data.count : Int($0.metrics.bytesReceived) } ?? 0
    }

    /// Returns the exchanges of one attempt. `hops` is empty for a sender that doesn't report them.
    ///
    /// - Parameter stream: how the stream of a response ended.
    static func exchanges(
        of request: HttpRequest, _ outcome: Outcome<HttpResponse>, stream: ByteBuffer.End? = nil,
        start: TransferHop.Start, hops: [TransferHop]
    ) -> [HarExchange] {
        var answer: HttpResponse?
        var failure: Failure?
        switch outcome {
        case .completed(let response): answer = response
        case .failed(let error): failure = .error(error)
        case .canceled: failure = .canceled
        }
        switch stream?.outcome {
        case .failed(let error): failure = .error(error)
        case .canceled: failure = .canceled
        case .completed, nil: break
        }
        guard let last = hops.last else {
            return [HarExchange(nil, request: request, answer: answer, failure: failure, start: start)]
        }
        var exchanges: [HarExchange] = []
        for hop in hops.dropLast() {
            // The first exchange includes the time in the queue.
            let start = exchanges.isEmpty ? start : hop.start
            exchanges.append(
                HarExchange(
                    hop, request: hop.request, answer: hop.answer, failure: hop.failure.map { .error($0) },
                    start: start))
        }
        exchanges.append(
            HarExchange(
                last, request: last.request, answer: answer ?? last.answer, failure: failure,
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
        if let answer, answer.metrics.total > .zero { return answer.metrics }
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
        if inMemory > limit || request.body.stream != nil { copy.request.body = .empty }
        copy.answer?.request = copy.request
        // Retaining the stream would retain the transfer.
        copy.answer?.bytes = nil
        if responseSize > limit { copy.answer?.data = Data() }
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
