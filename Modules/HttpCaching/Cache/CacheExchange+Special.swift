import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheExchange {
    /// The part of a stored response that a `Range` asks for; nil where no complete response may be served as it is.
    ///
    /// The positions are those of the bytes as the server sends them, so that one that was compressed doesn't have them.
    func part() async throws -> HttpResponse? {
        guard let part = view.part else { return nil }
        let (stored, now) = (await entries(), cache.clock.now)
        guard case .serve(let choice, let reason) = CachePolicy.decide(view.forWhole, stored: stored, now: now),
            // No request for a part validates the whole.
            reason != .whileRevalidating,
            choice.entry.status == 200, choice.entry.headers["Content-Encoding"] == nil,
            let positions = choice.entry.bodyLength.flatMap({ part.positions(in: $0) })
        else { return nil }
        return try await serve(choice, reason, now, part: positions)
    }

    /// Stores the response to a `POST` that says that it is what its URL represents now, and how long (RFC 9110 §9.3.3).
    ///
    /// - Parameter write: registered before the request was sent.
    func posted(_ response: HttpResponse, requestTime: Double, _ write: ActiveWrite) async -> HttpResponse {
        guard response.url == request.url, let location = response.headers["Content-Location"],
            RedirectRule.target(of: location, from: response.url) == request.url
        else { return response }
        let head = ResponseHead(
            status: response.status, headers: response.headers, requestTime: requestTime,
            responseTime: cache.clock.now)
        var sent = sent([])
        sent.add(names.changes(from: request, to: response.request))
        guard let entry = CachePolicy.posted(head, sent), entry.key.session != .once else { return response }
        return await store(response, entry, replacing: [], write)
    }
}

extension HttpCacheBody {
    /// A part of the body: copied, because the indices of a slice don't begin at 0.
    func part(_ positions: Range<Int64>) -> HttpCacheBody {
        switch source {
        case .data(let data):
            return HttpCacheBody(Data(data.dropFirst(Int(positions.lowerBound)).prefix(positions.count)))
        case .pieces(let next):
            let pieces = PartOfPieces(positions, next)
            return HttpCacheBody(length: Int64(positions.count)) { try await pieces.next() }
        }
    }
}

/// The pieces of a part of a body. One task uses it.
private actor PartOfPieces {
    private let positions: Range<Int64>
    private let source: @Sendable () async throws -> Data?
    private var position: Int64 = 0

    init(_ positions: Range<Int64>, _ source: @escaping @Sendable () async throws -> Data?) {
        self.positions = positions
        self.source = source
    }

    func next() async throws -> Data? {
        while position < positions.upperBound, let piece = try await source() {
            let start = position
            position += Int64(piece.count)
            let wanted = positions.clamped(to: start..<position)
            if !wanted.isEmpty { return Data(piece.dropFirst(Int(wanted.lowerBound - start)).prefix(wanted.count)) }
        }
        return nil
    }
}
