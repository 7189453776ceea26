import FoundationEssentials
import NetChainKit
import SeededNumbers

/// Sends requests through whole chains and counts their outcomes.
final class Client: Sendable {
    private struct Answer: Decodable {
        let id: Int
    }

    private static let filler = String(repeating: "a", count: 2_000_000)

    private let server: Server
    private let tally: Tally
    private let seed: UInt64
    private let sender: CurlRequestSender
    /// Sends again what is lost with its connection.
    private let api: ApiClient
    private let tokens = TokenStore(TokenPair(accessToken: "token-0", refreshToken: "refresh"))
    private let refresher: TokenRefresherNode

    /// - Parameter tokenLifetime: how long a token is good by the wall clock; nil where only the server ends it.
    init(server: Server, tally: Tally, seed: UInt64, tokenLifetime: Duration?) throws {
        self.server = server
        self.tally = tally
        self.seed = seed
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        configuration.limits.responseSize = 1 << 20
        let sender = try CurlRequestSender(configuration: configuration)
        self.sender = sender
        api = ApiClient(server.server.url) {
            $0.sender = sender
            $0.log.sink = .silent
            $0.timeout = .seconds(60)
        }
        let tokenUrl = server.server.url("/token")
        let limits = RefreshLimits(refreshes: 1_000_000, timeout: .seconds(60))
        refresher = TokenRefresherNode(store: tokens, limits: limits) { _ in
            tally.refreshed()
            let json: Json = try await UrlChainsBuilder<URL>().route(.post, tokenUrl).sender(sender).log(to: .silent)
                .build().execute()
            let pair = try json.decode(TokenPair.self)
            return TokenPair(
                accessToken: pair.accessToken, refreshToken: pair.refreshToken, expiresIn: tokenLifetime)
        }
    }

    func close() {
        sender.close()
    }

    /// Sends one request and returns when it has completed.
    func sendOne() async {
        let (id, fault) = tally.begin { id in
            var numbers = Seeded(seed, request: id)
            return Fault.random(&numbers)
        }
        var numbers = Seeded(seed &+ 1, request: id)
        // One in eight is canceled, at once or while it is in progress.
        let cancel =
            numbers.next().isMultiple(of: 8) ? Duration.microseconds(Int.random(in: 0...20_000, using: &numbers)) : nil
        if fault.isStream {
            await stream(id, fault, cancel)
        } else {
            await load(id, fault, cancel)
        }
    }

    private func load(_ id: Int, _ fault: Fault, _ cancel: Duration?) async {
        let method: HttpMethod = fault.isPost ? .post : fault == .upload ? .put : .get
        var builder = UrlChainsBuilder<URL>().route(method, server.server.url("/\(fault.rawValue)/\(id)"))
            .sender(sender).log(to: .silent).run(on: .inPlace, callbacks: .inPlace)
            .accessSafe(refresher).add(provider: tokens)
            .timeout(fault == .silent ? .milliseconds(150) : .seconds(60))
        if fault == .expectation { builder = builder.set(metadata: ["Expect": "100-continue"]) }
        if fault == .busy || fault == .later { builder = builder.retry(.constant(.milliseconds(20))) }
        let chain: Node<Json, Json> = builder.build()
        var input: Json = [:]
        if method == .post { input = ["id": .init(id)] }
        if fault == .upload { input = ["id": .init(id), "filler": .init(Self.filler)] }
        guard let outcome = await end(of: chain.process(input), id, cancel) else {
            return tally.canceled(id, fault, wasAsked: cancel != nil)
        }
        switch outcome {
        case .success(let json): tally.answered(id, fault, isRight: (try? json.decode(Answer.self))?.id == id)
        case .failure(let error): tally.failed(id, fault, Fault.kind(of: error))
        }
    }

    private func stream(_ id: Int, _ fault: Fault, _ cancel: Duration?) async {
        let stream = Observer { [api] in try await api.get("\(fault.rawValue)/\(id)").stream() }
        guard let outcome = await end(of: stream, id, cancel) else {
            return tally.canceled(id, fault, wasAsked: cancel != nil)
        }
        do {
            var bytes: [UInt8] = []
            for try await chunk in try outcome.get() {
                bytes += chunk
                if fault == .streamLeft { break }
            }
            // Arrays compare fast, also in a debug build under a sanitizer.
            let part = fault == .streamLeft ? bytes.count : 100_000
            let isRight = bytes == Array(String(repeating: "\(id),", count: 1 + part / 2).utf8.prefix(part))
            tally.answered(id, fault, isRight: isRight)
        } catch {
            tally.failed(id, fault, Fault.kind(of: error))
        }
    }

    /// The outcome, nil for canceled. Every callback is counted.
    private func end<Value: Sendable>(
        of observer: Observer<Value>, _ id: Int, _ cancel: Duration?
    ) async -> Result<Value, any Error>? {
        let (results, heard) = AsyncStream<Result<Value, any Error>?>.makeStream()
        let tally = tally
        _ =
            observer
            .onCompleted {
                tally.ended(id)
                heard.yield(.success($0))
            }
            .onError {
                tally.ended(id)
                heard.yield(.failure($0))
            }
            .onCanceled {
                tally.ended(id)
                heard.yield(nil)
            }
        var canceling: Task<Void, Never>?
        if let cancel {
            canceling = Task {
                try? await Task.sleep(for: cancel)
                observer.cancel()
            }
        }
        defer { canceling?.cancel() }
        for await result in results { return result }
        return nil
    }
}
