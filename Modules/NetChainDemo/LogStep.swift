import NetChainKit
import NetChainTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows a chain's log, and writes a log and a HAR file.
struct LogStep: Sendable {
    let server: LoopbackServer
    let terminal: DemoTerminal
    /// The output folder; nil for a new temporary folder.
    let folder: URL?

    func run() async throws {
        let folder = try makeFolder()
        let log = folder.appendingPathComponent("netchain.log")
        let har = folder.appendingPathComponent("netchain.har")
        let sinks = [LogSink.closure { [terminal] report in terminal.line("\(report)") }, LogSink.file(log.path)]
        let sink = LogSink.closure { report in for sink in sinks { sink.accept(report) } }
        let recorder = HarRecorder(bodies: .upTo(bytes: 100_000))
        let route = DemoRoute(base: server.url, path: "/users/1?api_key=secret")
        let _: User = try await UrlChainsBuilder<DemoRoute>().route(.get, route)
            .set(metadata: ["Authorization": "Bearer secret"])
            .log(level: .debug).log(to: sink).record(to: recorder).build().execute()
        await sink.drain()
        for sink in sinks { await sink.drain() }
        try recorder.write(to: har)
        for file in [log, har] {
            terminal.line("written: \(file.path)")
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            try expect(
                text.contains("/users/1?api_key=***") && !text.contains("secret"), "the masked URL in \(file.path)")
        }
    }

    private func makeFolder() throws -> URL {
        let unique = "netchain-demo-\(UInt64.random(in: 0 ... .max))"
        let folder = folder ?? FileManager.default.temporaryDirectory.appendingPathComponent(unique)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
