import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheExchange {
    /// Stores a response: one in memory or in a file before it is returned, a stream while it is read.
    ///
    /// - Parameters:
    ///   - replaced: what it replaces.
    ///   - write: registered before the request was sent, so that what is invalidated meanwhile isn't stored.
    func store(
        _ response: HttpResponse, _ entry: HttpCacheEntry, replacing replaced: [HttpCacheEntry], _ write: ActiveWrite
    ) async -> HttpResponse {
        var entry = entry
        let missed = missed(response)
        if let file = response.file {
            guard let pieces = FilePieces(file) else { return missed }
            entry.bodyLength = pieces.length
            guard let storing = await begin(entry, replaced, write) else { return missed }
            await storing.append { try await pieces.next() }
            await storing.commit()
            return missed
        }
        guard let stream = response.bytes else {
            entry.bodyLength = Int64(response.data.count)
            guard let storing = await begin(entry, replaced, write) else { return missed }
            if !response.data.isEmpty { await storing.append(response.data) }
            await storing.commit()
            return missed
        }
        guard let storing = await begin(entry, replaced, write) else { return missed }
        var result = missed
        let teed = teed(stream, to: storing)
        if isInBackground {
            do { for try await _ in teed {} } catch {}
        } else {
            result.bytes = teed
        }
        return result
    }

    /// The stream, whose pieces are also stored.
    private func teed(_ stream: ByteStream, to storing: ResponseStoring) -> ByteStream {
        let end = TransferEnd()
        stream.buffer.onEnd { end.metrics = $0.metrics }
        return BodyPump.stream(metrics: { end.metrics }) {
            guard let piece = try await stream.nextPiece() else {
                await storing.commit()
                return nil
            }
            await storing.append(piece)
            return piece
        }
    }

    private func begin(
        _ entry: HttpCacheEntry, _ replaced: [HttpCacheEntry], _ write: ActiveWrite
    ) async -> ResponseStoring? {
        // Its session has ended while it was sent.
        guard request.admissions.refusal == nil, write.name(entry) else { return nil }
        let writer = await sender.storing { try await cache.store.write(entry) } ?? nil
        return writer.map { ResponseStoring(sender, $0, entry, replaced, write) }
    }
}

/// The storing of one response. An error of the store ends it. One task at a time uses it.
final class ResponseStoring: Sendable {
    private let sender: CachingSender
    private let writer: Mutex<(any HttpCacheWriter)?>
    private let entry: HttpCacheEntry
    private let replaced: [HttpCacheEntry]
    private let write: ActiveWrite

    init(
        _ sender: CachingSender, _ writer: any HttpCacheWriter, _ entry: HttpCacheEntry, _ replaced: [HttpCacheEntry],
        _ write: ActiveWrite
    ) {
        self.sender = sender
        self.writer = Mutex(writer)
        self.entry = entry
        self.replaced = replaced
        self.write = write
    }

    func append(_ piece: Data) async {
        guard let writer = writer.withLock({ $0 }) else { return }
        let isAppended: Void? = await sender.storing { try await writer.append(piece) }
        if isAppended == nil { drop() }
    }

    func append(_ next: () async throws -> Data?) async {
        do {
            while let piece = try await next(), writer.withLock({ $0 != nil }) { await append(piece) }
        } catch {
            drop()
        }
    }

    func commit() async {
        guard let writer = writer.taking({ $0.take() }) else { return }
        guard write.isValid else { return }
        await sender.storing { try await writer.commit(replacing: replaced) }
        if !write.isValid { await sender.storing { try await sender.cache.store.remove([entry]) } }
    }

    private func drop() {
        writer.taking { $0.take() }
    }
}

extension ByteStream {
    /// The next piece; nil after the last one.
    fileprivate func nextPiece() async throws -> Data? {
        try await makeAsyncIterator().next()
    }
}

private final class TransferEnd: Sendable {
    private let state = Mutex<TransferMetrics?>(nil)

    var metrics: TransferMetrics? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
