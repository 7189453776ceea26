import AccessSafe
import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials of a client that answers challenges, shared by the client's copies. May be used from any thread.
final class ChallengeStore: Sendable {
    /// What credentials are kept for. The origin is a part of it: a realm has a meaning at its own origin only
    /// (RFC 9110 §11.5), and a client's settings may be used for another origin.
    private struct Key: Hashable {
        let origin: Origin
        let scheme: String
        let realm: String?
        let service: String?
        let scope: String?
    }

    /// The origin of a URL and its path up to the last slash.
    private struct Space: Hashable {
        let origin: Origin
        let path: [UInt8]

        init(_ url: URL) {
            origin = Origin(url)
            let path = UrlText(url.absoluteString.utf8)?.path ?? []
            let end = path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            self.path = Array(path[..<end])
        }
    }

    private struct State {
        /// A server chooses realms and scopes, and paths may be many. What is forgotten costs a challenge more.
        var credentials = RecentlyUsed<Key, KeptCredentials>(capacity: 256)
        var spaces = RecentlyUsed<Space, KeptCredentials>(capacity: 1024)
    }

    private let limits: RefreshLimits
    private let isAnswerable: @Sendable (AuthChallenge) -> Bool
    private let answer: KeptCredentials.Answer
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isAnswerable: which challenges `answer` is called with.
    ///   - answer: the application's answer to a challenge.
    init(
        limits: RefreshLimits, isAnswerable: @escaping @Sendable (AuthChallenge) -> Bool = { _ in true },
        answer: @escaping KeptCredentials.Answer
    ) {
        self.limits = limits
        self.isAnswerable = isAnswerable
        self.answer = answer
    }

    /// The first challenges of a response that may be answered, in their order: each costs a call, and is kept. None within
    /// the answer to one: a request that the answer sends through its own client would wait for itself.
    func challenges(of response: HttpResponse) -> [AuthChallenge] {
        let all = state.withLock { $0.credentials.values }
        guard !all.contains(where: \.refresher.isInsideRefresh) else { return [] }
        return Array(response.headers.challenges.lazy.filter { $0.isKeepable && self.isAnswerable($0) }.prefix(16))
    }

    /// The credentials for a challenge of the server of `url`, which may be empty yet.
    func credentials(for challenge: AuthChallenge, of url: URL) -> KeptCredentials {
        let key = Key(
            origin: Origin(url), scheme: challenge.scheme, realm: challenge["realm"], service: challenge["service"],
            scope: challenge["scope"])
        let new = KeptCredentials(challenge, limits: limits, answer: answer)
        // What is forgotten for it is released after unlocking.
        return state.taking { $0.credentials.value(for: key, default: new) }.value
    }

    /// The credentials that last served a request beside `url`; nil if none did.
    func credentials(for url: URL) -> KeptCredentials? {
        let space = Space(url)
        return state.withLock { $0.spaces.value(for: space) }
    }

    /// Records which credentials have served a request to `url`.
    func record(_ credentials: KeptCredentials, for url: URL) {
        let space = Space(url)
        state.taking { $0.spaces.set(credentials, for: space) }
    }

    /// Records that credentials were rejected at `url`.
    func forget(_ credentials: KeptCredentials, for url: URL) {
        let space = Space(url)
        state.taking { state -> KeptCredentials? in
            state.spaces.value(for: space) === credentials ? state.spaces.remove(space) : nil
        }
    }
}

extension AuthChallenge {
    /// Whether it is of a usual size.
    fileprivate var isKeepable: Bool {
        parameters.reduce(scheme.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= 4_096
    }
}

/// A dictionary with a bound, at which it replaces the value that was used least recently.
struct RecentlyUsed<Key: Hashable, Value> {
    private let capacity: Int
    private var entries: [Key: (value: Value, use: Int)] = [:]
    private var uses = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var values: [Value] { entries.values.map(\.value) }

    mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[index].use = uses
        return entries.values[index].value
    }

    /// Returns the value, and what was forgotten for a new one.
    mutating func value(for key: Key, default new: Value) -> (value: Value, forgotten: Value?) {
        if let value = value(for: key) { return (value, nil) }
        return (new, set(new, for: key))
    }

    /// Returns the value that was replaced or forgotten. Visits all entries at the bound.
    mutating func set(_ value: Value, for key: Key) -> Value? {
        var old = remove(key)
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.use < $1.value.use }) {
            old = remove(oldest.key)
        }
        uses += 1
        entries[key] = (value, uses)
        return old
    }

    mutating func remove(_ key: Key) -> Value? {
        entries.removeValue(forKey: key)?.value
    }
}
