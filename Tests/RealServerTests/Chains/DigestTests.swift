import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Digest against httpbin's own computation (RFC 7616).
@Suite(.needs(.httpbin))
struct DigestTests {
    private func client(_ auth: ClientAuth, hasCookies: Bool = false) throws -> ApiClient {
        let sender = try CurlRequestSender(configuration: .loopback { $0.cookies = hasCookies ? .memory : .off })
        return ApiClient(try ServerVariable.httpbin.url) {
            $0.sender = sender
            $0.log.sink = .silent
            $0.auth = auth
        }
    }

    @Test(arguments: ["auth", "none"], ["MD5", "SHA-256"])
    func thePasswordIsProved(qop: String, algorithm: String) async throws {
        // httpbin fails for a query, and compares the decoded path.
        let api = try client(.digest(user: "ann", password: "pass"))
        for _ in 0..<2 {
            let answer: Json = try await api.get("digest-auth/\(qop)/ann/pass/\(algorithm)").send()
            #expect(answer == ["authenticated": true, "user": "ann"])
        }
    }

    @Test func aWrongPasswordIsRejected() async throws {
        let api = try client(.digest(user: "ann", password: "wrong"))
        let error = await thrown(HttpError.self) { try await api.get("digest-auth/auth/ann/pass/MD5").send() }
        #expect(error?.status == 401)
    }

    /// auth-int and SHA-512 are not supported.
    @Test(arguments: ["digest-auth/auth-int/ann/pass/MD5", "digest-auth/auth/ann/pass/SHA-512"])
    func whatIsNotSupportedIsNotAnswered(path: String) async throws {
        let api = try client(.digest(user: "ann", password: "pass"))
        #expect(await thrown(HttpError.self) { try await api.get(path).send() }?.status == 401)
    }

    /// httpbin says `stale` for the last nonce, which it keeps in a cookie.
    @Test func aStaleNonceIsReplaced() async throws {
        let api = try client(.digest(user: "ann", password: "pass"), hasCookies: true)
        for _ in 0..<3 {
            let answer: Json = try await api.get("digest-auth/auth/ann/pass/SHA-256/1").send()
            #expect(answer == ["authenticated": true, "user": "ann"])
        }
    }

    @Test func basicIsSentAfterItsChallenge() async throws {
        let api = try client(
            .challenge { challenge in
                challenge.scheme == "Basic" ? .basic(user: "ann", password: "pass") : nil
            })
        let answer: Json = try await api.get("basic-auth/ann/pass").send()
        #expect(answer["authenticated"] == true)
    }
}
