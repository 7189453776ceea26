import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct UsageSampleTests {
    private let answer = """
        {"name": "Ann", "age": 36, "type": 1, "photos": [{"id": "p1", "ref": "/p1.png"}, {"id": "p2", "ref": "/p2.png"}]}
        """

    @Test func theSampleReadsTheServersAnswer() async throws {
        let sender = ScriptedRequestSender(json: answer)
        let user: UsageSamples.User = try await UrlChainsBuilder<UsageSamples.RegistrationRoute>()
            .route(.get, .user("42")).sender(sender).log(to: .silent)
            .build()
            .execute()
        #expect(sender.requests.map(\.url.absoluteString) == ["http://example.com/user/42"])
        #expect(user.name == "Ann")
        #expect(user.age == 36)
        #expect(user.type == .member)
        #expect(user.photos.map(\.id) == ["p1", "p2"])
        #expect(user.photos.map(\.image) == ["/p1.png", "/p2.png"])
    }

    @Test func arraysAndEntriesAreReadWithoutMore() async throws {
        let sender = ScriptedRequestSender(json: "[\(answer)]")
        let builder = UrlChainsBuilder<UsageSamples.RegistrationRoute>()
            .route(.get, .auth).sender(sender).log(to: .silent)
        let users: [UsageSamples.User] = try await builder.build().execute()
        #expect(users.map(\.name) == ["Ann"])
        let json: Json = try await builder.build().execute()
        let entries = try [UsageSamples.UserEntry].from(raw: json)
        #expect(entries.first?.photos.first?.ref == "/p1.png")
    }

    @Test func theRoutesAreThoseOfTheSample() throws {
        #expect(try UsageSamples.RegistrationRoute.auth.url().absoluteString == "http://example.com/user/auth")
        #expect(try UsageSamples.RegistrationRoute.register.url().absoluteString == "http://example.com/user/register")
    }

    @Test func theThreeEncodingsOfTheSampleAreThere() async throws {
        let sender = ScriptedRequestSender(json: "{}")
        for encoding in [ParametersEncoding.json, .formUrl, .urlQuery] {
            let chain: Node<Json, Json> = UrlChainsBuilder<UsageSamples.RegistrationRoute>()
                .route(.post, .register).encode(as: encoding).sender(sender).log(to: .silent)
                .build()
            _ = try await chain.execute(["name": "Ann"])
        }
        let sent = try sender.requests.map {
            try "\($0.url.query ?? "-") \(String(decoding: $0.body.read(), as: UTF8.self))"
        }
        #expect(sent == [#"- {"name":"Ann"}"#, "- name=Ann", "name=Ann "])
    }
}
