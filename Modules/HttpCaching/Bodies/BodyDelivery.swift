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
        case (.pieces(let next), .stream) where isSuccess:
            response.bytes = try await stream(next, length: body.length, onStreamFailure)
        case (.data(let data), .stream) where isSuccess: response.bytes = ByteStream(data)
        case (let source, .file(let url, _)) where isSuccess:
            try await write(source, length: body.length, to: url, response.request)
            response.file = url
        case (let source, _):
            guard body.length <= Int64(limit) else { throw tooLarge(response.request, limit) }
            response.data = try await gather(source, length: body.length)
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
        guard case .pieces(let next) = body.source, case .stream = response.request.options.destination,
            body.length <= largestVerified
        else { return false }
        var missing = body.length
        while let piece = try await next() { missing -= Int64(piece.count) }
        guard missing == 0 else { throw Failure.wrongLength }
        return true
    }

    private static func gather(_ source: HttpCacheBody.Source, length: Int64) async throws -> Data {
        if case .data(let data) = source { return data }
        var data = Data()
        let next = source.pieces
        while let piece = try await next() {
            data.append(piece)
            guard data.count <= length else { throw Failure.wrongLength }
        }
        guard data.count == length else { throw Failure.wrongLength }
        return data
    }

    /// The first piece is read before the response is served, so that a body that can't be read is a miss.
    private static func stream(
        _ next: @escaping @Sendable () async throws -> Data?, length: Int64,
        _ onFailure: @escaping @Sendable (any Error) async -> Void
    ) async throws -> ByteStream {
        let source = CountedPieces(try await next(), length: length, next)
        return BodyPump.stream {
            do {
                return try await source.next()
            } catch {
                if !(error is CancellationError), !Task.isCancelled { await onFailure(error) }
                throw error
            }
        }
    }

    /// Writes the body beside the file, and moves it into its place.
    private static func write(
        _ source: HttpCacheBody.Source, length: Int64, to url: URL, _ request: HttpRequest
    ) async throws {
        let isCanceled = Atomic(false)
        try await withTaskCancellationHandler {
            try await check(url, request)
            let (spaces, space) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let writer = FileWriter(TemporaryFile(for: url)) { space.yield() }
            try await copy(source, length: length, to: writer, spaces, request)
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
        } catch let failure as FileWriter.Failure {
            throw destinationFailed(request, failure)
        }
    }

    private static func copy(
        _ source: HttpCacheBody.Source, length: Int64, to writer: FileWriter, _ spaces: AsyncStream<Void>,
        _ request: HttpRequest
    ) async throws {
        var missing = length
        var spaces = spaces.makeAsyncIterator()
        let next = source.pieces
        while let piece = try await next() {
            guard !Task.isCancelled else { throw CallerError(cause: CancellationError()) }
            missing -= Int64(piece.count)
            guard missing >= 0 else { throw Failure.wrongLength }
            piece.withUnsafeBytes { writer.write($0) }
            do {
                while try !writer.hasSpace() {
                    // The iterator ends when the task is canceled.
                    guard await spaces.next() != nil else { throw CallerError(cause: CancellationError()) }
                }
            } catch let failure as FileWriter.Failure {
                throw destinationFailed(request, failure)
            }
        }
        guard missing == 0 else { throw Failure.wrongLength }
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

extension HttpCacheBody.Source {
    /// Returns the next piece; nil after the last one. A body in memory is one piece.
    fileprivate var pieces: @Sendable () async throws -> Data? {
        switch self {
        case .pieces(let next): return next
        case .data(let data):
            let rest = Mutex<Data?>(data)
            return { rest.taking { $0.take() } }
        }
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
