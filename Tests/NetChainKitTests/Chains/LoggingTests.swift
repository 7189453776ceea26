import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct LoggingTests {
    private let store = LogStore()
    private let sender = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#)

    private func builder() -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>().log(to: .memory(store)).log(level: .debug).run(on: .inPlace, callbacks: .inPlace)
            .sender(sender).route(.get, .users)
    }

    /// The writers of a report's lines, each once, in the order of their first line.
    private func writers(_ report: LogReport) -> [String] {
        report.lines.map(\.log.id).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    @Test func theSixNodesThatWriteInCoreNetKitWrite() async throws {
        _ = try await builder().build().execute() as User
        let report = try #require(await store.report())
        #expect(
            writers(report) == [
                "RequestCreatorNode", "RequestSenderNode", "ResponseProcessorNode", "ResponseHttpErrorProcessorNode",
                "ResponseDataPreprocessorNode", "ResponseDataParserNode",
            ])
        guard case .completed = report.end else {
            Issue.record("\(report.end)")
            return
        }
    }

    @Test func atTheDefaultLevelThereIsAShortLineAStep() async throws {
        _ = try await builder().log(level: .info).build().execute() as User
        let report = try #require(await store.report())
        #expect(
            report.lines.map { "\($0.log.id): \($0.log.message)" } == [
                "RequestCreatorNode: GET http://api.example.com/users",
                "ResponseProcessorNode: status 200, 24 bytes", "ResponseDataParserNode: JSON of 24 bytes",
            ])
    }

    @Test func whatIsExcludedIsNotLogged() async throws {
        _ =
            try await builder().log(exclude: ["ResponseDataParserNode", "RequestSenderNode"])
            .log(exclude: ["ResponseProcessorNode"]).build().execute() as User
        let report = try #require(await store.report())
        #expect(
            writers(report) == [
                "RequestCreatorNode", "ResponseHttpErrorProcessorNode", "ResponseDataPreprocessorNode",
            ])
        #expect(!report.description.contains("ResponseDataParserNode"))
    }

    @Test func onlyWhatIsAskedForIsLogged() async throws {
        _ = try await builder().log(only: ["ResponseProcessorNode"]).build().execute() as User
        let report = try #require(await store.report())
        #expect(writers(report) == ["ResponseProcessorNode"])
    }

    @Test func theTextFormNamesTheNodes() async throws {
        _ = try await builder().log(level: .info).build().execute() as User
        let text = try #require(await store.report()).description
        #expect(text.hasPrefix("<<<===RequestCreatorNode===>>>\nGET http://api.example.com/users\n<<<==="))
        #expect(text.contains("<<<===ResponseDataParserNode===>>>\nJSON of 24 bytes\n"))
    }

    @Test func aSilentLogIsNone() async throws {
        final class Looking: UrlChainsBuilder<Route> {
            let journals = Counter()
            override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
                let next = super.requestBuildingChain(with: config)
                return ClosureNode { [journals] in
                    if Journal.current != nil { journals.add() }
                    return next.process($0)
                }
            }
        }
        let builder = Looking().route(.get, .users).sender(sender)
        _ = try await builder.log(to: .silent).build().execute() as User
        #expect(builder.journals.value == 0)
        _ = try await builder.log(to: .memory(store)).build().execute() as User
        #expect(builder.journals.value == 1)
    }

    @Test func secretsAreMasked() async throws {
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(
                headers: ["Set-Cookie": "sid=geheim", "X-Api-Key": "geheim", "X-Plain": "shown"],
                body: Data(#"{"id": 1, "name": "shown", "accessToken": "geheim", "in": {"password": "geheim"}}"#.utf8))
        }
        struct Provider: MetadataProvider {
            func metadata() -> [String: String] { ["Authorization": "Bearer geheim", "Cookie": "a=geheim"] }
        }
        _ =
            try await builder().route(.get, .text("http://ann:geheim@api.example.com/users"))
            .set(query: ["access_token": "geheim", "page": 7]).set(metadata: ["X-Plain": "shown", "Api-Key": "geheim"])
            .add(provider: Provider()).sender(sender).build().execute() as User
        let report = try #require(await store.report())
        let text = report.description
        #expect(!text.contains("geheim"), "\(text)")
        #expect(text.contains("page=7"))
        #expect(text.contains("X-Plain: shown"))
        #expect(text.contains("Authorization: ***"))
        #expect(text.contains(#""name": "shown""#))
    }

    @Test func whoWantsSecretsInTheLogHasThem() async throws {
        _ =
            try await builder().set(metadata: ["Authorization": "Bearer geheim"]).log(redaction: .none)
            .build().execute() as User
        #expect(try #require(await store.report()).description.contains("Authorization: Bearer geheim"))
    }

    @Test(arguments: [(404, "(not found)"), (503, "(service unavailable)"), (499, "")])
    func aRunThatFailsIsLogged(status: Int, words: String) async throws {
        let sender = ScriptedRequestSender(json: #"{"secret": "geheim"}"#, status: status)
        await #expect(throws: HttpError.self) {
            try await builder().log(level: .info).sender(sender).build().execute() as User
        }
        let report = try #require(await store.report())
        guard case .failed(let error as HttpError) = report.end else {
            Issue.record("\(report.end)")
            return
        }
        #expect(error.status == status)
        let line = try #require(report.lines.last?.log)
        #expect(line.id == "ResponseHttpErrorProcessorNode")
        #expect(line.level == .warning)
        #expect(line.message.hasSuffix("failed with status \(status)\(words.isEmpty ? "" : " \(words)")"))
        #expect(!report.description.contains("geheim"))
    }

    @Test func aTransportErrorIsLogged() async throws {
        let sender = ScriptedRequestSender { $0.fail(.connectionRefused) }
        await #expect(throws: TechnicalError.self) {
            try await builder().sender(sender).build().execute() as User
        }
        let report = try #require(await store.report())
        #expect(report.lines.last?.log.id == "ResponseProcessorNode")
        #expect(report.lines.last?.log.level == .warning)
        #expect(report.summary.contains("Can't connect to the host"))
    }

    @Test func anErrorInTheModelsIsLogged() async throws {
        await #expect(throws: DecodingError.self) { try await builder().build().execute() as [User] }
        let report = try #require(await store.report())
        guard case .failed(is DecodingError) = report.end else {
            Issue.record("\(report.end)")
            return
        }
        let line = try #require(report.lines.first { $0.log.level == .error }?.log)
        #expect(line.id == "DTOMapperNode" || line.id == "PayloadNode")
        #expect(line.message.hasPrefix("A model could not be mapped: "))
    }

    @Test func atDebugTheBodyOfTheRequestIsShown() async throws {
        _ =
            try await builder().route(.post, .users).build()
            .execute(["name": "Ann", "password": "geheim"] as Json) as User
        let report = try #require(await store.report())
        let lines = report.lines.filter { $0.log.id == "RequestCreatorNode" }.map(\.log.message)
        #expect(
            lines == [
                "POST http://api.example.com/users, body of 34 bytes",
                "Content-Type: application/json\n\n{\"name\":\"Ann\",\"password\":\"***\"}",
            ])
    }

    @Test func whatHasNeitherHeadersNorABodyHasNoEmptyLine() async throws {
        let sender = ScriptedRequestSender { $0.respond(status: 204) }
        try await builder().sender(sender).build().execute() as Void
        let report = try #require(await store.report())
        #expect(report.lines.allSatisfy { !$0.log.message.isEmpty })
        #expect(report.lines.filter { $0.log.id == "RequestCreatorNode" }.count == 1)
    }

    @Test func theBodyOfARefusalIsShownAtDebug() async throws {
        let sender = ScriptedRequestSender(json: #"{"why": "closed", "token": "geheim"}"#, status: 503)
        await #expect(throws: HttpError.self) { try await builder().sender(sender).build().execute() as User }
        let text = try #require(await store.report()).description
        #expect(text.contains(#"{"why": "closed", "token": "***"}"#))
    }

    @Test func aRequestThatCannotBeBuiltIsLogged() async throws {
        await #expect(throws: RequestBuildingError.self) {
            try await builder().route(.get, .broken).build().execute() as User
        }
        let report = try #require(await store.report())
        #expect(report.summary.hasSuffix("The route gave no URL: Broken()"))
        #expect(
            report.lines.map { "\($0.log.level) \($0.log.id): \($0.log.message)" } == [
                "error UrlRequestTransformerNode: The route gave no URL: Broken()"
            ])
    }

    @Test func aCanceledRunIsLogged() async throws {
        let held = ScriptedRequestSender()
        let chain: Node<Void, User> = builder().sender(held).build()
        let observer = chain.process()
        let exchange = try await held.nextRequest()
        observer.cancel()
        #expect(exchange.isCanceled)
        let report = try #require(await store.report())
        guard case .canceled = report.end else {
            Issue.record("\(report.end)")
            return
        }
        #expect(writers(report) == ["RequestCreatorNode", "RequestSenderNode"])
        #expect(report.summary.hasPrefix("canceled after "))
    }

    @Test func eachRunHasAReportOfItsOwn() async throws {
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(json: #"{"path": "\#(exchange.request.url.query ?? "")"}"#)
        }
        let chain: Node<User, Json> = builder().sender(sender).build()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<50 { group.addTask { _ = try await chain.execute(User(id: id, name: "Ann")) } }
            try await group.waitForAll()
        }
        let reports = await store.reports(count: 50)
        let ids = reports.map { report in
            report.lines.map(\.log.message).joined().matches(of: /id=(\d+)/).map { String($0.output.1) }
        }
        #expect(ids.allSatisfy { Set($0).count == 1 })
        #expect(Set(ids.flatMap { $0 }).count == 50)
    }

    @Test func aRetryAndARefreshAreToldInTheSameReport() async throws {
        let statuses = [401, 503, 200]
        let counter = Counter()
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(status: statuses[counter.add() - 1], json: #"{"id": 1, "name": "Ann"}"#)
        }
        _ =
            try await builder().log(level: .info).sender(sender).retry(.constant(.milliseconds(1)))
            .accessSafe(TokenRefresherNode {}).build().execute() as User
        let report = try #require(await store.report())
        #expect(report.lines.filter { $0.log.id == "RequestCreatorNode" }.count == 3)
        let retry = try #require(report.lines.first { $0.log.id == "RetryNode" }?.log)
        #expect(retry.level == .warning)
        #expect(
            retry.message == """
                attempt 1 failed, the next one follows in \(Duration.milliseconds(1)): \
                GET http://api.example.com/users failed with status 503 (service unavailable)
                """)
        #expect(report.lines.contains { $0.log.kind == .refresh && $0.log.message.hasPrefix("Sent again") })
    }
}
