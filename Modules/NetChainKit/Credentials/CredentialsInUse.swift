import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials with which a request is being sent.
struct CredentialsInUse: Sendable {
    /// Those of the request that the current task sends.
    @TaskLocal static var current: CredentialsInUse?

    let store: ChallengeStore
    let kept: KeptCredentials
    let credentials: AuthCredentials
    /// How often they had been renewed, or less.
    let generation: Int
    /// The server's nonce for Digest credentials, nil for others.
    let nonce: DigestNonce?
    /// The URL that the challenge came from after redirects; nil for the request's own.
    let url: URL?
    /// Whether they answer a challenge of this request, and not an earlier one.
    let isFromChallenge: Bool

    /// The value of the `Authorization` header for one sending.
    func authorization(for request: HttpRequest) -> String? {
        switch credentials.kind {
        case .header(let value): value
        case .digest(let user, let password):
            nonce?.authorization(user: user, password: password, method: request.method, url: url ?? request.url)
        }
    }

    /// Whether a challenge that follows them says that they are wrong, and not that the nonce of a Digest challenge is
    /// too old. Not every server says `stale` for a nonce that it has forgotten since.
    func isRejected(by challenge: AuthChallenge) -> Bool {
        guard let nonce else { return true }
        if DigestChallenge.isStale(challenge) { return false }
        return isFromChallenge || challenge["nonce"] == nonce.challenge.nonce
    }
}

extension KeptCredentials {
    /// The credentials for a request that has met no challenge; nil if there are none.
    func known(by store: ChallengeStore) -> CredentialsInUse? {
        let (generation, credentials) = current
        guard let credentials else { return nil }
        var nonce: DigestNonce?
        if case .digest = credentials.kind {
            nonce = lastNonce
            if nonce == nil { return nil }
        }
        return CredentialsInUse(
            store: store, kept: self, credentials: credentials, generation: generation, nonce: nonce, url: nil,
            isFromChallenge: false)
    }
}
