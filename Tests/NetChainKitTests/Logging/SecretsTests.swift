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

/// Secrets planted wherever a request, an answer or an error can hold one, sent through the whole chain over a real
/// socket; none of them may be in anything that the library writes.
struct SecretsTests {
    private static let secret = "hunter2Geheim"

    /// How the server, or the chain, ends the run.
    enum End: String, CaseIterable {
        case answer, refusal, serverError, noJson, otherModel, redirect, redirectLoop, insecureTarget, reset
        case noConnection, providerFails
    }

    enum Form: String, CaseIterable {
        case json, form, multipart
    }

    struct Login: Codable, JsonModel {
        var name = "ann"
        var password = SecretsTests.secret
        var nested = ["client_secret": [SecretsTests.secret]]
    }

    struct FormLogin: Codable, JsonModel {
        var name = "ann"
        var password = SecretsTests.secret
    }

    struct Provider: MetadataProvider {
        struct Failure: Error, CustomStringConvertible {
            let description = "no key for Bearer \(SecretsTests.secret) at https://ann:\(SecretsTests.secret)@keys"
        }

        let fails: Bool

        func metadata() throws -> [String: String] {
            if fails { throw Failure() }
            return [
                "Authorization": "Bearer \(SecretsTests.secret)", "Cookie": "sid=\(SecretsTests.secret); a=b",
                "Proxy-Authorization": "Basic \(SecretsTests.secret)",
            ]
        }
    }

    /// All that came out of one run.
    final class Output: Sendable {
        private let texts = Mutex<[String]>([])

        func add(_ text: String) { texts.withLock { $0.append(text) } }

        var all: [String] { texts.withLock { $0 } }
    }

    private static let lines = LogFormat { report in
        report.lines.map { "\($0.log.message)\n" }.joined() + report.summary
    }

    private static func server() throws -> LoopbackServer {
        let server = try LoopbackServer()
        let body = #"{"id": 1, "name": "shown", "accessToken": "\#(secret)", "in": {"password": "\#(secret)"}}"#
        func with(_ response: LoopbackResponse) -> LoopbackResponse {
            response.header("Set-Cookie", "sid=\(secret); Path=/").header("X-Auth-Token", secret)
        }
        server.on(.any, "/:session/answer", respond: with(.json(body)))
        server.on(.any, "/:session/refusal", respond: with(.json(body, status: 401)))
        server.on(.any, "/:session/serverError", respond: with(.text("sent Bearer \(secret)", status: 500)))
        server.on(.any, "/:session/noJson", respond: with(.text("token=\(secret)")))
        server.on(.any, "/:session/otherModel", respond: with(.json(#"{"id": "7", "token": "\#(secret)"}"#)))
        server.on(
            .any, "/:session/redirect",
            respond: with(.redirect(to: "/s/answer?access_token=\(secret)#id_token=\(secret)")))
        server.on(
            .any, "/:session/redirectLoop",
            respond: with(.redirect(to: "/s/redirectLoop?access_token=\(secret)", status: 307)))
        server.on(
            .any, "/:session/insecureTarget", respond: with(.redirect(to: "ftp://ann:\(secret)@x.org/?token=\(secret)"))
        )
        server.on(.any, "/:session/reset", respond: LoopbackResponse.json(body).resetting(afterBytes: 5))
        return server
    }

    @Test(arguments: End.allCases, Form.allCases)
    func noSecretLeavesTheChain(end: End, form: Form) async throws {
        let server = try Self.server()
        let output = Output()
        let folder = try TestFolder()
        let files = [(folder.place("text.log"), LogFormat.text), (folder.place("lines.log"), Self.lines)]
        let store = LogStore()
        let sinks =
            files.map { LogSink.file($0.0.path, format: $0.1) } + [
                .memory(store), .closure { report in output.add("\(report)\n\(report.summary)") },
            ]
        let fan = LogSink.closure { report in for sink in sinks { sink.accept(report) } }
        let recorder = HarRecorder(bodies: .upTo(bytes: 1 << 20))
        let sender = CommandSender(next: try Self.sender(), output: output)
        let secret = Self.secret
        let builder = try Self.builder(end, server).sender(sender).record(to: recorder).log(to: fan)
        do {
            _ = try await Self.run(builder, form)
            #expect(end == .answer || end == .redirect)
        } catch {
            #expect(end != .answer && end != .redirect, "\(error)")
            output.add("\(error)")
        }
        await fan.drain()
        for sink in sinks { await sink.drain() }
        for report in store.reports {
            for line in report.lines { output.add(line.log.message) }
            for log in report.shown { output.add(log.message) }
        }
        for file in files { output.add(try String(contentsOf: file.0, encoding: .utf8)) }
        let har = String(decoding: try recorder.data(), as: UTF8.self)
        output.add(har)
        // What should be shown is, and every way out was taken.
        #expect(output.all.count >= 8)
        if end != .providerFails && end != .noConnection {
            let received = try #require(server.requests.first)
            #expect(received.headers["Authorization"] == "Bearer \(secret)")
            #expect(received.target.contains(secret) && received.text.contains(secret))
        }
        if end != .providerFails {
            #expect(har.contains("page=7"))
            #expect(output.all.contains { $0.contains("curl ") && $0.contains("X-Plain: shown") })
        }
        for text in output.all { #expect(!text.contains(secret), "\(text)") }
    }

    #if compiler(>=6.2)  // Exit tests.
    /// Every way and form of the run in a process of its own, whose standard error is read.
    @Test func standardErrorShowsNoSecret() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await SecretsTests.runAllToStandardError()
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(!text.contains(Self.secret), "\(text)")
        let shown = [
            "page=7", "X-Plain: shown", "Authorization: ***", "\u{1B}[33m<<<===ResponseHttpErrorProcessorNode===>>>",
            #""name":"ann","password":"***""#, "name=ann&password=***", "multipart form of 3 fields", "token=***",
            "failed after ", "completed in ",
        ]
        for words in shown { #expect(text.contains(words), "\(words)") }
    }
    #endif

    private static func runAllToStandardError() async throws {
        let server = try server()
        let sinks: [LogSink] = [.standardError(colors: .always), .standardError(format: lines)]
        for sink in sinks {
            for end in End.allCases {
                for form in Form.allCases {
                    let builder = try builder(end, server).sender(sender()).log(to: sink)
                    _ = try? await run(builder, form)
                }
            }
            await sink.drain()
        }
    }

    private static func sender() throws -> CurlRequestSender {
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        configuration.redirects.limit = 3
        return try CurlRequestSender(configuration: configuration)
    }

    private static func builder(_ end: End, _ server: LoopbackServer) throws -> UrlChainsBuilder<Route> {
        let port = end == .noConnection ? try ClosedPort.number() : server.port
        return UrlChainsBuilder<Route>()
            .route(
                .post,
                .text("http://ann:\(secret)@127.0.0.1:\(port)/s;jsessionid=\(secret)/\(end.rawValue)?code=\(secret)")
            )
            .set(query: ["access_token": secret, "page": 7, "next": "https://x.org/?token=\(secret)"])
            .set(metadata: ["X-Api-Key": secret, "X-Plain": "shown"])
            .add(provider: Provider(fails: end == .providerFails))
            .log(level: .trace).retry(.constant(.milliseconds(1)))
    }

    private static func run(_ builder: UrlChainsBuilder<Route>, _ form: Form) async throws -> User {
        switch form {
        case .json: return try await builder.build().execute(Login())
        case .form: return try await builder.encode(as: .formUrl).build().execute(FormLogin())
        case .multipart:
            var multipart = MultipartModel(fields: ["title": "shown", "password": secret])
            multipart.append(
                .data(data: Data(#"{"token": "\#(secret)"}"#.utf8), filename: "a.json"), name: "file")
            return try await builder.build().execute(multipart)
        }
    }
}

/// Writes down the curl command of what it sends.
private struct CommandSender: RequestSender {
    let next: any RequestSender
    let output: SecretsTests.Output

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        output.add(request.curlCommand())
        return try await next.send(request)
    }
}
