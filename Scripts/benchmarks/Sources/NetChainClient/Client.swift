import ClientSupport
import Dispatch
import FoundationEssentials
import Glibc
import NetChainKit
import Synchronization

struct Failed: Error {}

/// Sends one kind of request over and over, to each origin by turns.
struct Client<Model: Decodable & Sendable> {
    private let arguments: ClientArguments
    let sender: CurlRequestSender

    init(_ arguments: ClientArguments, decoding: Model.Type) throws {
        self.arguments = arguments
        var configuration = CurlRequestSender.Configuration()
        configuration.httpVersion = arguments.usesHttp2 ? .automatic : .http1
        configuration.limits.requestsPerOrigin = max(64, arguments.concurrency)
        configuration.connections.maxIdle = arguments.kept > 0 ? arguments.kept : max(64, arguments.concurrency)
        if let authorities = arguments.authorities {
            configuration.tls.trustRoots = .file(URL(filePath: authorities))
        }
        sender = try CurlRequestSender(configuration: configuration)
    }

    /// The sender alone.
    func runSender(on executor: (any TaskExecutor)? = nil) {
        var prototype = HttpRequest(method: .get, url: arguments.url)
        switch arguments.work {
        case .upload:
            prototype.method = .put
            prototype.body = .data(Data(repeating: 0x78, count: arguments.size))
        case .file: prototype.options.destination = .file(URL(filePath: arguments.file))
        case .get, .memory: break
        }
        let request = prototype
        wait(on: executor) { [arguments, sender] in
            try await runTasks(arguments) {
                guard try await sender.send(request).status / 100 == 2 else { throw Failed() }
            }
        }
    }

    /// `ApiClient`, which has the first origin as its base URL.
    func runClient(on executor: (any TaskExecutor)? = nil) throws {
        let urls = arguments.urls
        guard let base = URL(string: "/", relativeTo: urls[0])?.absoluteURL else { throw Failed() }
        let api = ApiClient(base) { $0.sender = sender }
        let paths = ByTurns([urls[0].path] + urls.dropFirst().map(\.absoluteString))
        wait(on: executor) { [arguments] in
            try await runTasks(arguments) { _ = try await api.get(paths.next()).send(as: Model.self) }
        }
    }

    /// A kept chain with a route and a sender.
    func runChain() {
        let chains = chains
        wait { [arguments] in try await runTasks(arguments) { _ = try await chains.next().execute() } }
    }

    /// The same with callbacks on the main queue, each of which starts the next request.
    func runCallbacks() {
        let chains = chains
        let meter = Meter(arguments)
        for _ in 0..<arguments.concurrency { CallbackWorker(chains, meter).start() }
        DispatchQueue.global().async {
            meter.wait()
            meter.report()
            exit(0)
        }
        dispatchMain()
    }

    private var chains: ByTurns<Node<Void, Model>> {
        ByTurns(arguments.urls.map { UrlChainsBuilder<URL>().route(.get, $0).sender(sender).build() })
    }
}

/// Values that are used by turns.
private final class ByTurns<Value: Sendable>: Sendable {
    private let values: [Value]
    private let turn = Atomic(0)

    init(_ values: [Value]) {
        self.values = values
    }

    func next() -> Value {
        values[values.count > 1 ? turn.add(1, ordering: .relaxed).oldValue % values.count : 0]
    }
}

/// A worker of callbacks: it has one request in progress, so no two threads use it at a time.
private final class CallbackWorker<Model: Sendable>: @unchecked Sendable {
    private let chains: ByTurns<Node<Void, Model>>
    private let worker: Meter.Worker

    init(_ chains: ByTurns<Node<Void, Model>>, _ meter: Meter) {
        self.chains = chains
        worker = Meter.Worker(meter)
    }

    func start() {
        chains.next().process().onSettled { [self] outcome in
            guard outcome.value != nil else { fail("A request failed: \(outcome)") }
            if worker.next() { start() }
        }
    }
}
