import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the tests call, since a test can't be deprecated.
@MainActor private protocol BoundTypeSamples {
    func names(_ api: ApiClient) async throws -> [String]
    func nameIfModified(_ api: ApiClient) async throws -> String?
}

/// A type that isn't `Sendable` stands for one whose conformance is isolated: not every supported compiler has those.
private struct BoundTypes: BoundTypeSamples {
    final class Draft: Decodable {
        var name = ""
    }

    @available(*, deprecated, message: "here on purpose")
    func names(_ api: ApiClient) async throws -> [String] {
        let one = try await api.get("drafts/1").send(as: Draft.self)
        let all: [Draft] = try await api.get("drafts").send()
        return [one.name] + all.map(\.name)
    }

    @available(*, deprecated, message: "here on purpose")
    func nameIfModified(_ api: ApiClient) async throws -> String? {
        let draft: Draft? = try await api.get("drafts/1").acceptedStatuses(.successful(and: 304)).send()
        return draft?.name
    }
}

@MainActor struct BoundTypeTests {
    private let samples: any BoundTypeSamples = BoundTypes()

    private func api(_ respond: @escaping @Sendable (ScriptedRequestSender.Exchange) -> Void) -> ApiClient {
        ApiClient("https://api.example.com") {
            $0.sender = ScriptedRequestSender(answering: respond)
            $0.log.sink = .silent
            $0.json.keys = .snakeCase
        }
    }

    @Test func aTypeThatIsBoundToAnActorIsDecodedThere() async throws {
        let api = api { exchange in
            let isOne = exchange.request.url.path == "/drafts/1"
            exchange.respond(json: isOne ? #"{"name": "a"}"# : #"[{"name": "b"}, {"name": "c"}]"#)
        }
        #expect(try await samples.names(api) == ["a", "b", "c"])
    }

    @Test func itsErrorsAreThoseOfEachRequest() async throws {
        let rejecting = api { $0.respond(status: 404) }
        await #expect(throws: HttpError.self) { try await samples.names(rejecting) }
        let other = api { $0.respond(json: #"{"name": 1}"#) }
        await #expect {
            try await samples.names(other)
        } throws: {
            $0 is DecodingError && "\($0)".contains("https://api.example.com/drafts/1")
        }
    }

    @Test(arguments: [false, true]) func anOptionalOfItMayBeNotModified(hasBuilder: Bool) async throws {
        let sender = ScriptedRequestSender { $0.respond(status: 304) }
        let api =
            hasBuilder
            ? ApiClient("https://api.example.com", builder: { UrlChainsBuilder() })
            : ApiClient("https://api.example.com")
        #expect(try await samples.nameIfModified(api.sender(sender).log(to: .silent)) == nil)
    }

    @Test func aStreamedResponseIsASequenceOfItsPieces() async throws {
        let api = api { $0.respond(body: Data("abc".utf8)) }
        var text = ""
        for try await piece in try await api.get("text").stream() { text += String(decoding: piece, as: UTF8.self) }
        #expect(text == "abc")
    }
}
