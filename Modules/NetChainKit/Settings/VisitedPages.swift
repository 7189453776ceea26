import EventStreams
import HttpMessages
import Logging
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The requests of a list of pages: 16 bytes for each.
final class VisitedPages: Sendable {
    private struct Fingerprint: Hashable {
        let first: Int
        let second: Int

        /// Two of the standard library's keyed hashes: one of 64 bits would be the same by chance in some long lists.
        /// nil for a request whose body is a stream.
        init?(_ request: HttpRequest) {
            let isStream = request.body.segments.contains { if case .stream = $0 { true } else { false } }
            if isStream { return nil }
            first = Self.hash(request, seed: 1)
            second = Self.hash(request, seed: 2)
        }

        private static func hash(_ request: HttpRequest, seed: Int) -> Int {
            var hasher = Hasher()
            hasher.combine(seed)
            hasher.combine(request.method)
            hasher.combine(request.url.absoluteString)
            for field in request.headers.fields {
                let name = field.name.lowercased()
                // It is random for each request.
                if request.options.isRepeatable, name == "idempotency-key" { continue }
                hasher.combine(name)
                hasher.combine(field.value)
            }
            for segment in request.body.segments {
                switch segment {
                case .data(let data): data.withUnsafeBytes { hasher.combine(bytes: $0) }
                case .file(let slice):
                    hasher.combine(slice.url)
                    hasher.combine(slice.range)
                case .stream: break
                }
            }
            return hasher.finalize()
        }
    }

    private let fingerprints = Mutex<Set<Fingerprint>>([])

    /// Adds a request; false if it is one of them. One whose body is a stream is never one of them: what it sends isn't known
    /// before it is sent.
    func insert(_ request: HttpRequest) -> Bool {
        guard let fingerprint = Fingerprint(request) else { return true }
        return fingerprints.withLock { $0.insert(fingerprint).inserted }
    }
}

/// Fails a request of a list of pages that was made before, without sending it. Retries and replays follow in the chain.
final class RepeatedPageNode: AsyncNode<HttpRequest, HttpResponse>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpRequest, HttpResponse>
    private let visited: VisitedPages

    init(next: Node<HttpRequest, HttpResponse>, visited: VisitedPages) {
        self.next = next
        self.visited = visited
    }

    override func execute(_ data: HttpRequest) async throws -> HttpResponse {
        guard visited.insert(data) else {
            let error = ValueStreamError(
                .repeatedPage, "The rule of the pages asks for this page a second time.", of: "\(data)")
            log(error)
            throw error
        }
        return try await next.execute(data)
    }
}
