import NetChainKit
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A container registry: `/v2/NAME/…` wants a token whose scope contains `pull`, and `push` for a PUT. A token is
/// its scope and a number; a token with a number below `oldest` has been revoked.
final class ChallengeRegistry: Sendable {
    let asked = Mutex<[String]>([])
    private let sent = Mutex<[HttpRequest]>([])
    private let oldest = Mutex(1)

    var requests: [HttpRequest] { sent.withLock { $0 } }
    var authorizations: [String] { requests.map { $0.headers["Authorization"] ?? "none" } }
    var scopes: [String] { asked.withLock { $0 } }

    func revoke() { oldest.withLock { $0 += 1 } }

    /// A new token, as the service behind the realm gives it.
    func grant(_ challenge: AuthChallenge) throws -> AuthCredentials {
        #expect(challenge.scheme == "Bearer" && challenge["service"] == "registry")
        #expect(challenge["realm"] == "https://auth.example.com/token")
        let scope = try #require(challenge["scope"])
        asked.withLock { $0.append(scope) }
        return .bearer("\(scope)#\(oldest.withLock { $0 })")
    }

    func client(_ auth: ClientAuth? = nil, _ change: (inout RequestSettings) -> Void = { _ in }) -> ApiClient {
        ApiClient("https://registry.example.com/v2/") {
            $0.sender = ScriptedRequestSender { [self] in respond(to: $0) }
            $0.log.sink = .silent
            $0.auth = auth ?? .challenge { [self] in try grant($0) }
            change(&$0)
        }
    }

    private func respond(to exchange: ScriptedRequestSender.Exchange) {
        let request = exchange.request
        sent.withLock { $0.append(request) }
        let name = request.url.path.split(separator: "/").dropFirst().prefix(1).joined()
        let action = request.method == .put ? "pull,push" : "pull"
        let token = request.headers["Authorization"]?.split(separator: "#").map(String.init) ?? []
        let isGranted = token.first?.hasPrefix("Bearer repository:\(name):\(action)") ?? false
        if isGranted, token.count == 2, let number = Int(token[1]), number >= oldest.withLock({ $0 }) {
            _ = exchange.respond(json: "{}")
        } else {
            let challenge =
                "bearer realm=\"https://auth.example.com/token\",service=\"registry\",scope=\"repository:\(name):\(action)\""
            _ = exchange.respond(status: 401, headers: ["WWW-Authenticate": challenge])
        }
    }
}

/// A client of a server that responds as `respond` says.
func challengedClient(
    _ auth: ClientAuth, _ respond: @escaping @Sendable (ScriptedRequestSender.Exchange) -> Void
) -> (ApiClient, ScriptedRequestSender) {
    let sender = ScriptedRequestSender(answering: respond)
    let api = ApiClient("https://api.example.com/") {
        $0.sender = sender
        $0.log.sink = .silent
        $0.auth = auth
    }
    return (api, sender)
}
