import NetChainKit
import NetChainTestKit
import Testing

/// `record(to:)` of the builder.
struct RecordingTests {
    @Test func eachAttemptIsRecorded() async throws {
        let statuses = [503, 200]
        let counter = Counter()
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(status: statuses[counter.add() - 1], json: #"{"id": 1, "name": "Ann"}"#)
        }
        let recorder = HarRecorder()
        _ =
            try await UrlChainsBuilder<Route>().route(.get, .users).sender(sender)
            .retry(.constant(.milliseconds(1))).record(to: recorder).build().execute() as User
        let entries = try #require(try Json(parsing: recorder.data())["log"]?["entries"])
        #expect(recorder.count == 2)
        #expect(entries[0]?["response"]?["status"] == 503)
        #expect(entries[1]?["response"]?["status"] == 200)
        #expect(entries[1]?["_attempt"] == 2)
    }
}
