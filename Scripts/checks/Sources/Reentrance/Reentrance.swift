import NetChainKit
import NetChainTestKit
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `Reentrance list`: prints the names of the scenarios.
/// `Reentrance NAME`: runs one. In each the library holds the last reference to an object whose deinitializer uses the
/// same part of the library. An object that is released while that part is locked ends the program.
@main
struct Reentrance {
    /// An object of an application.
    final class Probe: Sendable {
        static let released = Atomic(0)

        let use: @Sendable () -> Void

        init(_ use: @escaping @Sendable () -> Void) {
            self.use = use
        }

        deinit {
            use()
            Probe.released.add(1, ordering: .relaxed)
        }
    }

    struct Entry: JournalEntry {
        let id = "probe"
        let probe: Probe
    }

    struct Wrong: Error {
        let what: String
    }

    static let scenarios: [(name: String, run: @Sendable () async throws -> Void)] = [
        ("log-store-clear", clearLogStore),
        ("log-store-limit", exceedLogStore),
        ("har-recorder-clear", { try await record(limit: 10) { recorder, _ in recorder.clear() } }),
        (
            "har-recorder-limit",
            {
                try await record(limit: 1) { recorder, api in
                    _ = try await api.get("second").record(to: recorder).send(as: Json.self)
                }
            }
        ),
        ("cancel-handler", settle),
        ("server-stop", { try serve { server in server.stop() } }),
        ("server-route", { try serve { server in server.on(.get, "/", respond: .text("")) } }),
    ]

    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first ?? "list"
        if name == "list" {
            for scenario in scenarios { print(scenario.name) }
            return
        }
        guard let scenario = scenarios.first(where: { $0.name == name }) else { throw Wrong(what: "no '\(name)'") }
        try await scenario.run()
    }

    /// Checks that the object was released, before `holder` is.
    private static func expectRelease(by holder: some AnyObject) throws {
        let released = Probe.released.load(ordering: .relaxed)
        guard released == 1 else { throw Wrong(what: "\(released) objects were released") }
        withExtendedLifetime(holder) {}
    }

    /// Keeps no request.
    struct Sender: RequestSender {
        func send(_ request: HttpRequest) async throws -> HttpResponse {
            HttpResponse(request: request, status: 200, data: Data("{}".utf8))
        }
    }

    private static func log(to sink: LogSink, _ probe: Probe? = nil) async throws {
        let node = ClosureNode<Void, Void> { _ in
            if let probe { Journal.current?.append(Entry(probe: probe)) }
            return .emit()
        }
        _ = try await LoggerNode(next: node, sink: sink).execute(())
        await sink.drain()
    }

    private static func clearLogStore() async throws {
        let store = LogStore()
        try await log(to: .memory(store), Probe { _ = store.reports })
        store.clear()
        try expectRelease(by: store)
    }

    private static func exceedLogStore() async throws {
        let store = LogStore(limit: 1)
        let sink = LogSink.memory(store)
        try await log(to: sink, Probe { _ = store.reports })
        try await log(to: sink)
        try expectRelease(by: store)
    }

    private static func record(limit: Int, then: (HarRecorder, ApiClient) async throws -> Void) async throws {
        let recorder = HarRecorder(limit: limit)
        let api = ApiClient("http://127.0.0.1") {
            $0.sender = Sender()
            $0.log.sink = .silent
        }
        try await send(api, recorder, Probe { _ = recorder.count })
        try await then(recorder, api)
        try expectRelease(by: recorder)
    }

    private static func send(_ api: ApiClient, _ recorder: HarRecorder, _ probe: Probe) async throws {
        _ = try await api.get("first").record(to: recorder).onProgress { _ in withExtendedLifetime(probe) {} }.send(
            as: Json.self)
    }

    private static func settle() throws {
        let context = Context<Void>()
        context.onCancel(handler(Probe { context.onCancel {} }))
        context.emit()
        try expectRelease(by: context)
    }

    private static func handler(_ probe: Probe) -> @Sendable () -> Void {
        { withExtendedLifetime(probe) {} }
    }

    private static func serve(_ end: (LoopbackServer) -> Void) throws {
        let server = try LoopbackServer()
        addRoute(to: server, Probe { _ = server.requests })
        end(server)
        try expectRelease(by: server)
    }

    private static func addRoute(to server: LoopbackServer, _ probe: Probe) {
        server.on(.get, "/") { _ -> LoopbackResponse in withExtendedLifetime(probe) { .text("") } }
    }
}
