import NetChainKit
import NetChainTestKit
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the README shows first, over the real sender.
struct CallbackTests {
    enum UserRoute: UrlRouteProvider {
        case user(Int, URL)

        func url() throws -> URL {
            switch self {
            case .user(let id, let base): try base + "/users/\(id)"
            }
        }
    }

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.get, "/users/:id") { .json(#"{"id": \#($0.parameters["id"] ?? "0"), "name": "Ann"}"#) }
        server.on(.get, "/users/0", respond: .json(#"{"message": "nobody"}"#, status: 404))
    }

    @Test func aUserIsOneExpression() async throws {
        let user: User = try await UrlChainsBuilder<UserRoute>()
            .route(.get, .user(1, server.url))
            .log(to: .silent)
            .build()
            .execute()
        #expect(user == User(id: 1, name: "Ann"))
    }

    @Test func callbacksTellAValue() async throws {
        let seen = Mutex<[String]>([])
        let node: Node<Void, User> = UrlChainsBuilder<UserRoute>().route(.get, .user(2, server.url)).log(to: .silent)
            .build()
        let done = Gate()
        node.process()
            .onCompleted { user in seen.withLock { $0.append("completed \(user.id)") } }
            .onError { error in seen.withLock { $0.append("failed \(error)") } }
            .onCanceled { seen.withLock { $0.append("canceled") } }
            .defer {
                seen.withLock { $0.append("defer") }
                done.open()
            }
        try await done.wait()
        #expect(seen.withLock { $0 } == ["completed 2", "defer"])
    }

    @Test func callbacksTellAnError() async throws {
        let seen = Mutex<[String]>([])
        let node: Node<Void, User> = UrlChainsBuilder<UserRoute>().route(.get, .user(0, server.url)).log(to: .silent)
            .build()
        let done = Gate()
        node.process()
            .onCompleted { user in seen.withLock { $0.append("completed \(user.id)") } }
            .onError { error in seen.withLock { $0.append("\(error)") } }
            .onCanceled { seen.withLock { $0.append("canceled") } }
            .defer {
                seen.withLock { $0.append("defer") }
                done.open()
            }
        try await done.wait()
        let text = "GET http://127.0.0.1:\(server.port)/users/0 failed with status 404 (not found)"
        #expect(seen.withLock { $0 } == [text, "defer"])
    }

    @Test func callbacksTellACancel() async throws {
        server.hold("/users/3")
        let node: Node<Void, User> = UrlChainsBuilder<UserRoute>().route(.get, .user(3, server.url)).log(to: .silent)
            .build()
        let observer = node.process()
        let ends = Ends(observer)
        let exchange = try await server.nextRequest("/users/3")
        observer.cancel()
        try await exchange.clientClosed()
        try await ends.wait()
        #expect(ends.all == ["canceled", "defer"])
        #expect(server.counts.requests == 1)
    }
}
