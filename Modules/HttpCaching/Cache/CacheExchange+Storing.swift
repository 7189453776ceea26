import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheExchange {
    /// Stores a response: a body in memory in the background, if the store isn't in memory, too; a stream while it is
    /// read; and a file before it is returned, because the caller may change it. If it can't be stored, what it replaces
    /// is removed nevertheless: it would be served after a newer response was.
    ///
    /// - Parameters:
    ///   - replaced: what it replaces.
    ///   - write: registered before the request was sent, so that what is invalidated meanwhile isn't stored.
    func store(
        _ response: HttpResponse, _ entry: HttpCacheEntry, replacing replaced: [HttpCacheEntry], _ write: ActiveWrite
    ) async -> HttpResponse {
        let (missed, pieces) = (missed(response), pieces(of: response, entry))
        var sized = entry
        if response.bytes == nil { sized.bodyLength = pieces?.length ?? Int64(response.data.count) }
        guard response.file == nil || pieces != nil,
            // The stored bodies are decoded.
            sender.traits.decodesBodies || response.headers["Content-Encoding"] == nil,
            // Its session has ended while it was sent.
            request.admissions.refusal == nil, write.name(sized)
        else {
            await cache.removeReplaced(replaced)
            return missed
        }
        if let memory = cache.memory, response.bytes == nil, pieces == nil {
            memory.insert(sized, response.data, replacing: replaced)
            if !write.isValid { memory.remove([sized]) }
            return missed
        }
        let storing = ResponseStoring(cache, sized, replaced, write)
        if let stream = response.bytes {
            guard await storing.begin() else { return missed }
            return await deliver(teed(stream, to: storing), in: missed)
        }
        if let pieces {
            guard await storing.begin() else { return missed }
            await storing.append { try await pieces.next() }
            await storing.commit()
            return missed
        }
        await cache.writing(sized.key.url, bytes: response.data.count) { [data = response.data] in
            await storing.store(data)
        }
        return missed
    }

    /// The downloaded file; nil without one, or if its size isn't the body's: another download has replaced it. A
    /// replacement of the same size isn't detected.
    private func pieces(of response: HttpResponse, _ entry: HttpCacheEntry) -> FilePieces? {
        guard let pieces = response.file.flatMap({ FilePieces($0) }) else { return nil }
        let received = response.metrics.bytesReceived
        let isCounted = received > 0 && response.headers["Content-Encoding"] == nil
        guard let length = entry.bodyLength ?? (isCounted ? received : nil) else { return pieces }
        return pieces.length == length ? pieces : nil
    }

    private func deliver(_ stream: ByteStream, in response: HttpResponse) async -> HttpResponse {
        var response = response
        if isInBackground {
            do { for try await _ in stream {} } catch {}
        } else {
            response.bytes = stream
        }
        return response
    }

    /// The stream, whose pieces are also stored.
    private func teed(_ stream: ByteStream, to storing: ResponseStoring) -> ByteStream {
        BodyPump.stream(metrics: { [buffer = stream.buffer] in buffer.end?.metrics }) { [cache] in
            do {
                guard let piece = try await stream.nextPiece() else {
                    await cache.writing(storing.url) { await storing.commit() }
                    return nil
                }
                await storing.append(piece)
                return piece
            } catch {
                if !Task.isCancelled { storing.abort() }
                throw error
            }
        }
    }
}

/// The storing of one response. An error of the store ends it, and removes what the response replaces; so does the
/// release of a stream that wasn't read to its end. One task at a time uses it.
final class ResponseStoring: Sendable {
    private let cache: HttpCache
    private let writer = Mutex<(any HttpCacheWriter)?>(nil)
    private let entry: HttpCacheEntry
    private let replaced: [HttpCacheEntry]
    private let write: ActiveWrite

    /// The URL of the key.
    var url: String { entry.key.url }

    init(_ cache: HttpCache, _ entry: HttpCacheEntry, _ replaced: [HttpCacheEntry], _ write: ActiveWrite) {
        self.cache = cache
        self.entry = entry
        self.replaced = replaced
        self.write = write
    }

    deinit {
        guard !replaced.isEmpty, writer.withLock({ $0 != nil }) else { return }
        if let memory = cache.memory { return memory.remove(replaced) }
        // It has no part in the run of a request, whose journal may be closed.
        Task.detached { [cache, replaced, url] in
            await cache.writing(url) { await cache.removeReplaced(replaced) }
        }
    }

    /// Begins to store. Returns false where the store doesn't take the response.
    func begin() async -> Bool {
        guard write.isValid, let new = await cache.storing(.write, { try await cache.store.write(entry) }) ?? nil else {
            await cache.removeReplaced(replaced)
            return false
        }
        writer.withLock { $0 = new }
        return true
    }

    func append(_ piece: Data) async {
        guard let writer = writer.withLock({ $0 }) else { return }
        let isAppended: Void? = await cache.storing(.write) { try await writer.append(piece) }
        if isAppended == nil { await fail() }
    }

    func append(_ next: () async throws -> Data?) async {
        do {
            while let piece = try await next(), writer.withLock({ $0 != nil }) { await append(piece) }
        } catch {
            await fail()
        }
    }

    func commit() async {
        guard let writer = writer.taking({ $0.take() }) else { return }
        await finish { try await writer.commit(replacing: replaced) }
    }

    /// Stores a whole body.
    func store(_ body: Data) async {
        await finish { try await cache.store.store(entry, body, replacing: replaced) }
    }

    /// Ends the storing because the transfer has failed. What the response was to replace may be served offline, as after
    /// the failure of a body in memory.
    func abort() {
        writer.taking { $0.take() }
    }

    private func finish(_ store: () async throws -> Void) async {
        guard write.isValid, await cache.storing(.write, store) != nil else {
            // A store may fail after it has made the entry visible.
            return await cache.removeReplaced(replaced + [entry])
        }
        // It was invalidated while it was stored.
        if !write.isValid { await cache.storing(.remove) { try await cache.store.remove([entry]) } }
    }

    private func fail() async {
        abort()
        await cache.removeReplaced(replaced)
    }
}

extension HttpCache {
    /// Removes what a response that can't be stored was to replace.
    fileprivate func removeReplaced(_ replaced: [HttpCacheEntry]) async {
        if !replaced.isEmpty { await storing(.remove) { try await store.remove(replaced) } }
    }
}

extension ByteStream {
    /// The next piece; nil after the last one.
    fileprivate func nextPiece() async throws -> Data? {
        try await makeAsyncIterator().next()
    }
}
