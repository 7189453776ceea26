import NetChainTestKit
import Synchronization
import TestSupport
import Testing

@testable import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client with `.digest`, and a server that checks what it sends.
struct DigestClientTests {
    /// Issues nonces, checks responses, and rejects a count that was used before.
    fileprivate final class Server: Sendable {
        fileprivate struct State {
            var nonce = 1
            var uses: Set<String> = []
            var oldest = 1
            var sent: [HttpRequest] = []
            var problems: [String] = []
        }

        private let state = Mutex(State())
        private let algorithm: String
        private let saysStale: Bool
        private let isNewEachTime: Bool

        init(_ algorithm: String = "MD5", saysStale: Bool = true, isNewEachTime: Bool = false) {
            self.algorithm = algorithm
            self.saysStale = saysStale
            self.isNewEachTime = isNewEachTime
        }

        var requests: [HttpRequest] { state.withLock { $0.sent } }
        var problems: [String] { state.withLock { $0.problems } }

        /// Makes the nonces so far too old.
        func age() {
            state.withLock {
                $0.nonce += 1
                $0.oldest = $0.nonce
            }
        }

        func client(_ auth: ClientAuth) -> ApiClient {
            ApiClient("https://api.example.com/") {
                $0.sender = ScriptedRequestSender { [self] in respond(to: $0) }
                $0.log.sink = .silent
                $0.auth = auth
            }
        }

        private func respond(to exchange: ScriptedRequestSender.Exchange) {
            let challenge = state.withLock { $0.challenge(to: exchange.request, algorithm, saysStale, isNewEachTime) }
            guard let challenge else { return _ = exchange.respond(json: "{}") }
            _ = exchange.respond(
                status: 401,
                headers: ["WWW-Authenticate": "Digest realm=\"a\", algorithm=SHA-512-256, nonce=\"x\", \(challenge)"])
        }
    }

    @Test(arguments: ["MD5", "MD5-sess", "SHA-256", "sha-256-SESS"])
    func requestsProveThePassword(algorithm: String) async throws {
        let server = Server(algorithm)
        let api = server.client(.digest(user: "ann", password: "pass:word"))
        try await api.get("a/1?x=%2B&y=[]").send()
        try await api.post("a/2").body(["b": 1]).send()
        try await api.get("b/1").send()
        // The third is in another folder, and meets a challenge.
        #expect(server.requests.count == 5)
        #expect(server.requests.map { $0.headers["Authorization"] == nil } == [true, false, false, true, false])
        #expect(server.problems == [])
    }

    @Test func countsAreUniqueAmongManyRequests() async throws {
        let server = Server()
        let api = server.client(.digest(user: "ann", password: "pass:word"))
        try await api.get("a/first").send()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { try await api.get("a/\(number)").send() } }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 202)
        #expect(server.problems == [])
    }

    /// Each challenge has another nonce, which is for one request.
    @Test func eachRequestUsesTheNonceOfItsOwnChallenge() async throws {
        let server = Server(isNewEachTime: true)
        let api = server.client(.digest(user: "ann", password: "pass:word"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { try await api.get("\(number)/x").send() } }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 100)
        #expect(server.problems == [])
    }

    @Test(arguments: [true, false])
    func anOldNonceIsReplacedWithoutAQuestion(saysStale: Bool) async throws {
        let server = Server(saysStale: saysStale)
        let calls = Counter()
        let api = server.client(
            .challenge { _ in
                calls.add()
                return .digest(user: "ann", password: "pass:word")
            })
        for _ in 0..<3 {
            try await api.get("a/1").send()
            server.age()
        }
        #expect(calls.value == 1)
        #expect(server.requests.count == 6)
        #expect(server.problems == [])
    }

    @Test func aWrongPasswordIsSentOnce() async throws {
        let server = Server()
        let api = server.client(.digest(user: "ann", password: "wrong"))
        for count in [2, 4] {
            #expect(await thrown(HttpError.self) { try await api.get("a/1").send() }?.status == 401)
            #expect(server.requests.count == count)
        }
    }

    @Test func eachAttemptHasAnotherCount() async throws {
        let server = Server()
        let failed = Counter()
        let api = server.client(.digest(user: "ann", password: "pass:word")).middleware { request, next in
            let response = try await next(request)
            guard response.status == 200, failed.add() < 3 else { return response }
            throw TransportError(.connectionLost, of: request, reason: "a test")
        }
        try await api.retry(.constant(.zero)).get("a/1").send()
        #expect(server.requests.count == 4)
        #expect(server.problems == [])
    }

    /// The password is never sent, whatever the server wants.
    @Test(arguments: [
        ("Basic realm=\"a\"", "Basic"), ("Bearer", "Bearer"),
        ("Digest realm=\"a\", nonce=\"b\", qop=auth-int", "Digest"),
        ("Digest realm=\"a\", nonce=\"b\", algorithm=SHA-512, Negotiate", "Digest with SHA-512, Negotiate"),
        ("Digest realm=\"a\"", "Digest"), ("Digest", "Digest"),
    ])
    func otherChallengesAreNotAnsweredAndTheLogNamesThem(challenge: String, names: String) async throws {
        let log = LogStore()
        let sender = ScriptedRequestSender { _ = $0.respond(status: 401, headers: ["WWW-Authenticate": challenge]) }
        let api = ApiClient("https://api.example.com/") {
            $0.sender = sender
            $0.log.sink = .memory(log)
            $0.auth = .digest(user: "ann", password: "pass:word")
        }
        #expect(await thrown(HttpError.self) { try await api.get("x").send() }?.status == 401)
        #expect(sender.requests.map { $0.headers["Authorization"] } == [nil])
        let report = try #require(await log.report())
        #expect(report.description.contains("no other credentials for its challenges (\(names))"))
    }

    @Test func aServerThatAlwaysSaysStaleCausesNoLoop() async throws {
        let nonces = Counter()
        let sender = ScriptedRequestSender {
            _ = $0.respond(
                status: 401,
                headers: ["WWW-Authenticate": "Digest realm=\"a\", nonce=\"\(nonces.add())\", qop=auth, stale=TRUE"])
        }
        let api = ApiClient("https://api.example.com/") {
            $0.sender = sender
            $0.log.sink = .silent
            $0.auth = .digest(user: "ann", password: "pass:word")
        }
        #expect(await thrown(HttpError.self) { try await api.get("x").send() }?.status == 401)
        #expect(sender.requests.count == 4)
    }

    #if os(Linux)
    /// The URI of the header is that of the request that the server rejected.
    @Test func aRedirectMayLeadToTheChallenge() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/open", respond: .redirect(to: "/closed?a=1"))
        server.on(.get, "/closed") { request in
            let sent = request.headers["Authorization"].map { AuthChallenge.challenges(in: $0) }?.first
            return sent?["uri"] == "/closed?a=1"
                ? .json("{}") : .status(401).header("WWW-Authenticate", "Digest realm=\"a\", nonce=\"b\", qop=auth")
        }
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        let sender = try CurlRequestSender(configuration: configuration)
        let api = ApiClient(server.url("/")) {
            $0.sender = sender
            $0.log.sink = .silent
            $0.auth = .digest(user: "ann", password: "pass:word")
        }
        for _ in 0..<2 { try await api.get("open").send() }
        #expect(server.requestCount("/closed") == 4)
    }
    #endif

    @Test func credentialsThatDoNotFitTheChallengeAreNone() async throws {
        let sender = ScriptedRequestSender {
            _ = $0.respond(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])
        }
        let api = ApiClient("https://api.example.com/") {
            $0.sender = sender
            $0.log.sink = .silent
            $0.auth = .challenge { _ in .digest(user: "ann", password: "pass:word") }
        }
        for _ in 0..<2 { #expect(await thrown(HttpError.self) { try await api.get("x").send() }?.status == 401) }
        #expect(sender.requests.map { $0.headers["Authorization"] } == [nil, nil])
    }
}

extension DigestClientTests.Server.State {
    /// Checks a request; returns the challenge that rejects it.
    mutating func challenge(
        to request: HttpRequest, _ algorithm: String, _ saysStale: Bool, _ isNewEachTime: Bool
    ) -> String? {
        sent.append(request)
        if isNewEachTime { nonce += 1 }
        func challenge(isStale: Bool = false) -> String {
            "Digest realm=\"a\", nonce=\"n\(nonce)\", qop=\"auth\", algorithm=\(algorithm), opaque=\"o\""
                + (isStale ? ", stale=true" : "")
        }
        guard let header = request.headers["Authorization"] else { return challenge() }
        guard let sent = AuthChallenge.challenges(in: header).first, let used = sent["nonce"], let count = sent["nc"],
            let number = Int(used.dropFirst())
        else {
            problems.append("no Digest header: \(header)")
            return challenge()
        }
        if number < oldest { return challenge(isStale: saysStale) }
        let hash: (String) -> String = { text in
            (algorithm.lowercased().hasPrefix("sha") ? Sha256.digest(text.utf8) : Md5.digest(text.utf8))
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        var secret = hash("ann:a:pass:word")
        let clientNonce = sent["cnonce"] ?? ""
        if algorithm.lowercased().hasSuffix("sess") { secret = hash("\(secret):\(used):\(clientNonce)") }
        let target = request.url.absoluteString.dropFirst("https://api.example.com".count)
        let expected = hash(
            "\(secret):\(used):\(count):\(clientNonce):auth:" + hash("\(request.method.rawValue):\(target)"))
        guard sent["response"] == expected else { return challenge() }
        if sent["uri"] != String(target) || sent["opaque"] != "o" || sent["username"] != "ann" {
            problems.append("wrong parameters: \(header)")
        }
        if !uses.insert("\(used) \(count)").inserted { problems.append("a count was used twice: \(header)") }
        return nil
    }
}
