import Logging
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a recorder keeps of one attempt.
struct HarExchange: Sendable {
    /// When the attempt began, by both clocks.
    struct Start: Sendable {
        let time = WallClock.now
        let instant = ContinuousClock.now
    }

    var request: RawUrlRequest
    var outcome: Outcome<UrlDataResponse>
    let start: Start
    let duration: Duration
    let requestSize: Int64
    let responseSize: Int

    init(request: RawUrlRequest, outcome: Outcome<UrlDataResponse>, start: Start) {
        self.request = request
        self.outcome = outcome
        self.start = start
        duration = .now - start.instant
        requestSize = request.body.length
        if case .completed(let response) = outcome { responseSize = response.data.count } else { responseSize = 0 }
    }

    /// Without the bodies that are not to be recorded, so that they need no memory, and without the progress handler.
    func keeping(_ bodies: HarRecorder.Bodies) -> HarExchange {
        let limit = if case .upTo(let bytes) = bodies { bytes } else { 0 }
        var copy = self
        copy.request.options = RequestOptions()
        let inMemory = request.body.segments.reduce(0) { sum, segment in
            if case .data(let data) = segment { sum + data.count } else { sum }
        }
        if inMemory > limit { copy.request.body = .empty }
        if case .completed(var response) = outcome {
            response.request = copy.request
            if response.data.count > limit { response.data = Data() }
            copy.outcome = .completed(response)
        }
        return copy
    }
}
