import AccessSafe
import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials for one kind of challenge, and the gate through which all requests get them. May be used from any
/// thread.
final class KeptCredentials: Sendable {
    /// Answers a challenge with credentials, or with nil.
    typealias Answer = @Sendable (AuthChallenge) async throws -> AuthCredentials?

    private struct State: Sendable {
        /// The last challenge, which is to be answered.
        var challenge: AuthChallenge
        var credentials: AuthCredentials?
        /// The last nonces of Digest challenges, the newest last. Each is counted on its own.
        var nonces: [DigestNonce] = []
    }

    /// What the gate's refresh fails with where the application answers nil.
    private struct Unanswered: Error {}

    /// How many nonces are kept: those of the challenges that arrive while a request is in flight. A nonce that was
    /// forgotten would be counted from 1 again, and the server would reject it as used.
    private static let nonceLimit = 64

    let refresher: TokenRefresherNode
    private let state: SharedState

    private final class SharedState: Sendable {
        let mutex: Mutex<State>

        init(_ challenge: AuthChallenge) {
            mutex = Mutex(State(challenge: challenge))
        }
    }

    init(_ challenge: AuthChallenge, limits: RefreshLimits, answer: @escaping Answer) {
        let state = SharedState(challenge)
        self.state = state
        refresher = TokenRefresherNode(limits: limits) {
            guard let credentials = try await answer(state.mutex.withLock { $0.challenge }) else {
                throw Unanswered()
            }
            // A newer call has replaced one that took too long.
            try Task.checkCancellation()
            state.mutex.withLock { $0.credentials = credentials }
        }
    }

    /// The credentials, and how often they had been renewed before.
    var current: (generation: Int, credentials: AuthCredentials?) {
        let generation = refresher.generation
        return (generation, state.mutex.withLock { $0.credentials })
    }

    /// Waits for credentials newer than those of `generation`, which answer the challenge.
    ///
    /// - Returns: false if the application has none, or was asked too often.
    /// - Throws: the application's error.
    func renewal(from generation: Int, for challenge: AuthChallenge, after error: any Error) async throws -> Bool {
        state.mutex.withLock { $0.challenge = challenge }
        do {
            return try await refresher.renewal(from: generation, after: error)
        } catch is Unanswered {
            return false
        }
    }

    /// The nonce of a challenge: the same one for the same challenge.
    func nonce(of challenge: DigestChallenge) -> DigestNonce {
        let (nonce, _) = state.mutex.taking { state -> (DigestNonce, DigestNonce?) in
            let known = state.nonces.firstIndex { $0.challenge == challenge }
            let nonce = known.map { state.nonces.remove(at: $0) } ?? DigestNonce(challenge)
            state.nonces.append(nonce)
            return (nonce, state.nonces.count > Self.nonceLimit ? state.nonces.removeFirst() : nil)
        }
        return nonce
    }

    /// The nonce of the last challenge.
    var lastNonce: DigestNonce? { state.mutex.withLock { $0.nonces.last } }
}

/// A server's nonce, whose uses are counted (RFC 7616 §3.4). May be used from any thread.
final class DigestNonce: Sendable {
    let challenge: DigestChallenge
    /// Random, and one for all requests with this nonce: with `-sess` the key is computed with that of the first one.
    /// The count makes each response another one.
    private let clientNonce: String
    private let count = Atomic<UInt32>(0)

    init(_ challenge: DigestChallenge) {
        self.challenge = challenge
        clientNonce = (0..<2).map { _ in DigestChallenge.hex(UInt64.random(in: 0 ... .max)) }.joined()
    }

    /// The value of the `Authorization` header, another one each time.
    func authorization(user: String, password: String, method: HttpMethod, url: URL) -> String {
        challenge.authorization(
            user: user, password: password, method: method, target: url.requestTarget,
            count: count.wrappingAdd(1, ordering: .relaxed).newValue, clientNonce: clientNonce)
    }
}
