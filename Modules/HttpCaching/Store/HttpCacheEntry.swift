public import HttpMessages
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A stored response without its body. A store keeps it as it is, and needs to understand ``id``, ``key`` and
/// ``bodyLength`` only.
public struct HttpCacheEntry: Sendable, Identifiable {
    /// The identity of the stored response, for its body and its removal.
    public let id: UUID
    /// What the response is found by.
    public var key: HttpCacheKey
    /// The request headers that `Vary` nominates, with names in lower case, sorted. The value is nil for a header that the
    /// request didn't have, and a keyed hash where it is a secret.
    public var nominated: [Nominated]
    /// The status code.
    public var status: Int
    /// The headers, without those that aren't stored. Only the library's store in memory gets `Set-Cookie` and secrets.
    /// After a 304 they are the updated ones.
    public var headers: HttpHeaders
    /// When the request of the response, or of its last validation, was sent.
    public var requestTime: Date
    /// When the head of that response arrived.
    public var responseTime: Date
    /// The number of bytes of the body, decompressed. Until the writer commits it is the expected number; nil where that
    /// isn't known.
    public var bodyLength: Int64?

    /// A request header that `Vary` nominates.
    public struct Nominated: Hashable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The normalized value; nil where the request didn't have the header.
        public let value: String?

        /// Creates a nominated header.
        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// Creates an entry, with a new id where it is nil.
    public init(
        id: UUID? = nil, key: HttpCacheKey, nominated: [Nominated] = [], status: Int, headers: HttpHeaders,
        requestTime: Date, responseTime: Date, bodyLength: Int64? = nil
    ) {
        self.id = id ?? EntryIdentity.next()
        self.key = key
        self.nominated = nominated
        self.status = status
        self.headers = headers
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.bodyLength = bodyLength
    }
}

/// New identities: a random number of the process and a counter. Two system calls for a random number each would take as
/// long as the rest of storing in memory.
private enum EntryIdentity {
    private static let process = UInt64.random(in: 0 ... .max)
    private static let count = Atomic<UInt64>(0)

    static func next() -> UUID {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { buffer in
            buffer.storeBytes(of: process, as: UInt64.self)
            buffer.storeBytes(of: number, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }
}
