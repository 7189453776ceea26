import Dispatch
import HttpMessages
import NodeCore
import Synchronization

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

    /// An error that isn't the store's: of the file or the limit that the caller has chosen, or its cancellation.
    struct CallerError: Error {
        let cause: any Error
    }

    /// The response with the body in memory, in a file or as a stream.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a body in memory.
    ///   - onStreamFailure: called with the error of the store, or ``Failure``, of a stream that fails later, which then
    ///     throws it to its reader.
    /// - Throws: the error of the store, ``Failure``, or ``CallerError``.
    static func deliver(
        _ body: HttpCacheBody, in response: HttpResponse, limit: Int,
        onStreamFailure: @escaping @Sendable (any Error) async -> Void
    ) async throws -> HttpResponse {
        var response = response
        let isSuccess =
            response.request.options.hasDestination(response.status) && response.status != 204 && response.status != 205
        switch (body.source, response.request.options.destination) {
        case (.pieces, .stream) where isSuccess: response.bytes = try await stream(body, onStreamFailure)
        case (.data(let data), .stream) where isSuccess: response.bytes = ByteStream(data)
        case (_, .file(let url, _)) where isSuccess:
            try await write(body, to: url, response.request)
            response.file = url
        default:
            guard body.length <= Int64(limit) else { throw tooLarge(response.request, limit) }
            response.data = try await gather(body)
            // One without content has no destination, and so has that of an error.
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
    /// - Throws: the error of the store, or ``Failure``.
    static func verifies(_ body: HttpCacheBody, for response: HttpResponse) async throws -> Bool {
        guard case .pieces = body.source, case .stream = response.request.options.destination,
            body.length <= largestVerified
        else { return false }
        let pieces = body.pieces
        while try await pieces.next() != nil {}
        return true
    }

    private static func gather(_ body: HttpCacheBody) async throws -> Data {
        if case .data(let data) = body.source { return data }
        var data = Data()
        let pieces = body.pieces
        while let piece = try await pieces.next() { data.append(piece) }
        return data
    }

    /// The first piece is read before the response is served, so that a body that can't be read is a miss.
    private static func stream(
        _ body: HttpCacheBody, _ onFailure: @escaping @Sendable (any Error) async -> Void
    ) async throws -> ByteStream {
        let pieces = body.pieces
        try await pieces.readFirst()
        return BodyPump.stream {
            do {
                return try await pieces.next()
            } catch {
                if !(error is CancellationError), !Task.isCancelled { await onFailure(error) }
                throw error
            }
        }
    }

    /// Writes the body beside the file, and moves it into its place.
    private static func write(_ body: HttpCacheBody, to url: URL, _ request: HttpRequest) async throws {
        let isCanceled = Atomic(false)
        try await withTaskCancellationHandler {
            try await check(url, request)
            let (spaces, space) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let writer = FileWriter(TemporaryFile(for: url)) { space.yield() }
            try await copy(body, to: writer, spaces, request)
            let completion = await withCheckedContinuation { continuation in
                writer.finish(isWanted: { !isCanceled.load(ordering: .acquiring) }) {
                    continuation.resume(returning: $0)
                }
            }
            switch completion {
            case .whole: break
            case .unwanted: throw CallerError(cause: CancellationError())
            case .failed(let failure): throw destinationFailed(request, failure)
            case .wrongSize: throw Failure.wrongLength
            }
        } onCancel: {
            isCanceled.store(true, ordering: .releasing)
        }
    }

    /// Fails for what can't become a file, or would be replaced by one, such as a device.
    private static func check(_ url: URL, _ request: HttpRequest) async throws {
        do {
            try await DispatchQueue(label: "netchain.cache.file").result { try FileWriter.check(url) }
        } catch let failure as BodyFailure {
            throw destinationFailed(request, failure)
        }
    }

    private static func copy(
        _ body: HttpCacheBody, to writer: FileWriter, _ spaces: AsyncStream<Void>, _ request: HttpRequest
    ) async throws {
        var spaces = spaces.makeAsyncIterator()
        let pieces = body.pieces
        while let piece = try await pieces.next() {
            guard !Task.isCancelled else { throw CallerError(cause: CancellationError()) }
            piece.withUnsafeBytes { writer.write($0) }
            do {
                while try !writer.hasSpace() {
                    // The iterator ends when the task is canceled.
                    guard await spaces.next() != nil else { throw CallerError(cause: CancellationError()) }
                }
            } catch let failure as BodyFailure {
                throw destinationFailed(request, failure)
            }
        }
    }

    private static func destinationFailed(_ request: HttpRequest, _ failure: BodyFailure) -> CallerError {
        CallerError(cause: TransportError(.destinationFailed, of: request, reason: failure.description))
    }

    private static func tooLarge(_ request: HttpRequest, _ limit: Int) -> CallerError {
        CallerError(
            cause: TransportError(
                .responseTooLarge, of: request, reason: "the body is larger than limits.responseSize, \(limit) bytes"))
    }
}

extension HttpCacheBody {
    /// The pieces, from the start. A body in memory is one piece.
    fileprivate var pieces: CountedPieces {
        switch source {
        case .pieces(let next): CountedPieces(length: length, next)
        case .data(let data): CountedPieces(first: data, length: 0) { nil }
        }
    }
}

/// The pieces of a body, whose length is checked. One task uses it.
private actor CountedPieces {
    private var first: Data?
    private var missing: Int64
    private let rest: @Sendable () async throws -> Data?

    /// - Parameters:
    ///   - first: a piece that has been read.
    ///   - length: the number of bytes of the others.
    init(first: Data? = nil, length: Int64, _ rest: @escaping @Sendable () async throws -> Data?) {
        self.first = first
        missing = length
        self.rest = rest
    }

    /// Reads the first piece, which ``next()`` returns later.
    func readFirst() async throws { first = try await next() }

    /// The next piece; nil after the last one.
    ///
    /// - Throws: the error of the store, or ``BodyDelivery/Failure``.
    func next() async throws -> Data? {
        if let piece = first.take() { return piece }
        let piece = try await rest()
        missing -= Int64(piece?.count ?? 0)
        guard piece == nil ? missing == 0 : missing >= 0 else { throw BodyDelivery.Failure.wrongLength }
        return piece
    }
}
