import HttpMessages
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Brings a stored body to where the request wants it.
enum BodyDelivery {
    /// Why a body can't be delivered.
    enum Failure: Error {
        /// The store has delivered another number of bytes than the body has.
        case wrongLength
    }

    /// The response with the body in memory, in a file or as a stream.
    ///
    /// - Throws: the error of the store; ``Failure``; `TransportError` if a file can't be written. A stream that fails later
    ///   throws to its reader.
    static func deliver(_ body: HttpCacheBody, in response: HttpResponse) async throws -> HttpResponse {
        var response = response
        let isSuccess = (200..<300).contains(response.status) && response.status != 204 && response.status != 205
        switch (body.source, response.request.options.destination) {
        case (.pieces(let next), .stream) where isSuccess:
            response.bytes = try await stream(next, length: body.length)
        case (.pieces(let next), .file(let url, _)) where isSuccess:
            try await write(next, length: body.length, to: url, response.request)
            response.file = url
        case (.pieces(let next), _):
            response.data = try await gather(next, length: body.length)
            response = try response.delivered()
        case (.data(let data), _):
            response.data = data
            response = try response.delivered()
        }
        response.request.options.onProgress?(
            TransferProgress(sent: 0, totalToSend: 0, received: body.length, totalToReceive: body.length))
        return response
    }

    /// The largest body in bytes that is read once before it is served as a stream.
    static let largestVerified: Int64 = 16 << 20

    /// Reads a body that is to be served as a stream, so that a damaged one is a miss. One in memory needs no check, one
    /// for memory or a file is read before the response is returned, and reading a larger one would delay it too long.
    ///
    /// - Returns: whether it has read it.
    /// - Throws: the error of the store.
    static func verifies(_ body: HttpCacheBody, for response: HttpResponse) async throws -> Bool {
        guard case .pieces(let next) = body.source, case .stream = response.request.options.destination,
            body.length <= largestVerified
        else { return false }
        while try await next() != nil {}
        return true
    }

    private static func gather(_ next: () async throws -> Data?, length: Int64) async throws -> Data {
        var data = Data()
        while let piece = try await next() {
            data.append(piece)
            guard data.count <= length else { throw Failure.wrongLength }
        }
        guard data.count == length else { throw Failure.wrongLength }
        return data
    }

    /// The first piece is read before the response is served, so that a body that can't be read is a miss.
    private static func stream(
        _ next: @escaping @Sendable () async throws -> Data?, length: Int64
    ) async throws -> ByteStream {
        let source = CountedPieces(try await next(), length: length, next)
        return BodyPump.stream { try await source.next() }
    }

    private static func write(
        _ next: () async throws -> Data?, length: Int64, to url: URL, _ request: HttpRequest
    ) async throws {
        let space = SpaceSignal()
        let writer = FileWriter(TemporaryFile(for: url)) { space.signal() }
        var missing = length
        do {
            while let piece = try await next() {
                missing -= Int64(piece.count)
                piece.withUnsafeBytes { writer.write($0) }
                while try !writer.hasSpace() { await space.wait() }
            }
        } catch let failure as FileWriter.Failure {
            throw destinationFailed(request, failure.description)
        }
        guard missing == 0 else { throw Failure.wrongLength }
        let completion = await withCheckedContinuation { continuation in
            writer.finish(isWanted: { true }) { continuation.resume(returning: $0) }
        }
        if case .whole = completion { return }
        throw destinationFailed(request, "\(completion)")
    }

    private static func destinationFailed(_ request: HttpRequest, _ reason: String) -> TransportError {
        TransportError(.destinationFailed, of: request, reason: reason)
    }
}

/// The pieces of a body, the first of which has been read. One task uses it.
private actor CountedPieces {
    private var first: Data?
    private var missing: Int64
    private let rest: @Sendable () async throws -> Data?

    init(_ first: Data?, length: Int64, _ rest: @escaping @Sendable () async throws -> Data?) {
        self.first = first
        missing = length
        self.rest = rest
    }

    func next() async throws -> Data? {
        var piece = first.take()
        if piece == nil { piece = try await rest() }
        missing -= Int64(piece?.count ?? 0)
        guard piece == nil ? missing == 0 : missing >= 0 else { throw BodyDelivery.Failure.wrongLength }
        return piece
    }
}
