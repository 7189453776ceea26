import Foundation
import NetChainKit
import NetChainTestKit

// Models: what is read and written off the main actor says so.
nonisolated struct User: Codable, Equatable {
    let id: Int
    let name: String
}

nonisolated struct TownEntry: Codable, RawMappable {
    typealias Raw = Json
    let townName: String
}

nonisolated struct Town: DTOConvertible {
    let name: String
    static func from(dto: TownEntry) throws -> Town { Town(name: dto.townName) }
    func toDTO() throws -> TownEntry { TownEntry(townName: name) }
}

nonisolated enum UserRoute: UrlRouteProvider {
    case user(Int, base: URL)

    func url() throws -> URL {
        switch self {
        case .user(let id, let base): try base + "users/\(id)"
        }
    }
}

// Nodes and middleware.
nonisolated final class Marking: Node<HttpRequest, HttpResponse>, @unchecked Sendable {
    let next: Node<HttpRequest, HttpResponse>

    init(next: Node<HttpRequest, HttpResponse>) {
        self.next = next
        super.init()
    }

    override func process(_ data: HttpRequest) -> Observer<HttpResponse> {
        var data = data
        data.headers["X-Marked"] = "yes"
        return next.process(data)
    }
}

nonisolated struct Signature: ClientMiddleware {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.headers["X-Signature"] = "s"
        return try await next(request)
    }
}

// A service and a builder.
nonisolated final class OwnBuilder: UrlChainsBuilder<ApiRoute> {
    override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
        super.requestBuildingChain(with: config)
    }
}

struct UserService {
    let api: ApiClient

    func user(_ id: Int) async throws -> User { try await api.get("users/\(id)").send() }
}

// A screen, on the main actor without saying so.
final class Screen {
    let api: ApiClient
    var user: User?
    var message = ""
    var isLoading = false

    init(api: ApiClient) { self.api = api }

    func show() {
        isLoading = true
        api.get("users/1").process(as: User.self)
            .onCompleted { self.user = $0 }
            .onError { self.message = "\($0)" }
            .defer { self.isLoading = false }
    }
}

let server = try LoopbackServer()
server.on(.get, "/users/1", respond: .json(#"{"id": 1, "name": "Ada"}"#))
let api = ApiClient(server.url) {
    $0.log.sink = .silent
    $0.retry = RetryPolicy { $0.isWorthAnother ? .after(.milliseconds(10)) : .no }
}
.middleware(Signature())
.insert(at: .attempt) { Marking(next: $0) }

let service = UserService(api: api)
guard try await service.user(1).name == "Ada" else { exit(1) }
let routed: User = try await UrlChainsBuilder<UserRoute>().route(.get, .user(1, base: server.url)).log(to: .silent)
    .build().execute()
let own = ApiClient(server.url.absoluteString, builder: { OwnBuilder() }) { $0.log.sink = .silent }
let again: User = try await own.get("users/1").send()
guard routed == again, server.requests.first?.headers["X-Marked"] == "yes" else { exit(1) }
let screen = Screen(api: api)
screen.show()
while screen.isLoading { await Task.yield() }
guard screen.user?.name == "Ada", screen.message.isEmpty else { exit(1) }
print("done")
