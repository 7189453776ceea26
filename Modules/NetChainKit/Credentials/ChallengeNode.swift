import HttpMessages
import Logging
import NodeCore
import ResponseProcessing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends a request with the credentials that the store knows for its URL, and once more when a 401 has a challenge that
/// can be answered (RFC 9110 §11.4).
///
/// ``CredentialsNode``, which adds them to each attempt, follows in the chain.
final class ChallengeNode: AsyncNode<HttpRequest, HttpResponse>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpRequest, HttpResponse>
    private let store: ChallengeStore

    init(next: Node<HttpRequest, HttpResponse>, store: ChallengeStore) {
        self.next = next
        self.store = store
    }

    override func execute(_ data: HttpRequest) async throws -> HttpResponse {
        // Credentials are for the client's origin only.
        guard !data.isElsewhere else { return try await next.execute(data) }
        var sent = store.credentials(for: data.url)?.known(by: store)
        // How often the request may be sent once more: with credentials that other requests got, with those that it has
        // waited for, and with another nonce where theirs was too old.
        var replays = 3
        var hasWaited = false
        while true {
            do {
                let response = try await CredentialsInUse.$current.withValue(sent) { try await next.execute(data) }
                record(sent, for: data, response)
                return response
            } catch let error as HttpError {
                let response = error.response
                guard response.status == 401, response.isOfReceiver, !response.request.isElsewhere else {
                    // The server has accepted the credentials, if it has judged the request.
                    if (403..<500).contains(response.status) { record(sent, for: data, response) }
                    throw error
                }
                if let sent, sent.kept.current.generation == sent.generation { store.forget(sent.kept, for: data.url) }
                guard replays > 0, data.body.canBeSent, response.allowsOtherCredentials,
                    let (use, isNew) = try await answer(to: error, after: sent, hasWaited: hasWaited)
                else {
                    logRejection(of: data, response)
                    throw error
                }
                sent = use
                hasWaited = hasWaited || isNew
                replays -= 1
            }
        }
    }

    /// Says why the request is not sent again.
    private func logRejection(of data: HttpRequest, _ response: HttpResponse) {
        log(.info, .refresh) { _ in
            guard data.body.canBeSent else { return "the 401 stands: the request's body can't be sent again" }
            guard response.allowsOtherCredentials else {
                return "the 401 stands: it is of a redirect's target, and the request itself was processed"
            }
            let challenges = response.headers.challenges.prefix(16).map { challenge in
                challenge["algorithm"].map { "\(challenge.scheme) with \($0)" } ?? challenge.scheme
            }
            guard !challenges.isEmpty else { return "the 401 stands: it has no challenge" }
            return "the 401 stands: no other credentials for its challenges (\(challenges.joined(separator: ", ")))"
        }
    }

    private func record(_ sent: CredentialsInUse?, for data: HttpRequest, _ response: HttpResponse) {
        // A 401 is a response where the client accepts it.
        guard let sent, response.status != 401, response.isOfReceiver, !response.request.isElsewhere else { return }
        // The header of Digest is for one URL. After a redirect it was that of the target.
        guard sent.nonce == nil || response.metrics.redirects == 0 else { return }
        store.record(sent.kept, for: data.url)
    }

    /// Returns the credentials for the first challenge that can be answered, and whether the request has waited for
    /// them; nil if the 401 stands.
    ///
    /// - Parameters:
    ///   - sent: what the request was sent with.
    ///   - hasWaited: whether it has waited for credentials: then it may change the nonce only.
    private func answer(
        to error: HttpError, after sent: CredentialsInUse?, hasWaited: Bool
    ) async throws -> (CredentialsInUse, isNew: Bool)? {
        let response = error.response
        var isNew = false
        for challenge in store.challenges(of: response) {
            let kept = store.credentials(for: challenge, of: response.request.url)
            let digest = DigestChallenge(challenge)
            var (generation, credentials) = kept.current
            if case .digest? = credentials?.kind, digest == nil { continue }
            let rejected = sent.flatMap { $0.kept === kept && $0.isRejected(by: challenge) ? $0 : nil }
            if hasWaited, kept !== sent?.kept || rejected != nil { continue }
            if credentials == nil || generation == rejected?.generation {
                guard try await kept.renewal(from: generation, for: challenge, after: error) else { continue }
                isNew = true
                (generation, credentials) = kept.current
            }
            // The same ones again would be rejected again, and servers lock out after wrong passwords.
            guard let credentials, credentials != rejected?.credentials else { continue }
            var nonce: DigestNonce?
            if case .digest = credentials.kind {
                guard let digest else { continue }
                nonce = kept.nonce(of: digest)
            }
            let use = CredentialsInUse(
                store: store, kept: kept, credentials: credentials, generation: generation, nonce: nonce,
                url: response.metrics.redirects > 0 ? response.url : nil, isFromChallenge: true)
            log(.info, .refresh) { [scheme = challenge.scheme] _ in
                "sent again with credentials for a \(scheme) challenge"
            }
            return (use, isNew)
        }
        return nil
    }
}

/// Adds the credentials in use as the `Authorization` of an attempt, in place of the request's own. It follows
/// ``ChallengeNode`` and the retries, since a Digest header is for one sending only.
final class CredentialsNode: AsyncNode<HttpRequest, HttpResponse>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpRequest, HttpResponse>
    private let store: ChallengeStore

    init(next: Node<HttpRequest, HttpResponse>, store: ChallengeStore) {
        self.next = next
        self.store = store
    }

    override func execute(_ data: HttpRequest) async throws -> HttpResponse {
        guard let use = CredentialsInUse.current, use.store === store, !data.isElsewhere else {
            return try await next.execute(data)
        }
        var request = data
        request.headers["Authorization"] = use.authorization(for: data)
        return try await next.execute(request)
    }
}
