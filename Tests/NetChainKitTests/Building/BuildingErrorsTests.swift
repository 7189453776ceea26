import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is missing or wrong becomes the chain's error, and nothing is sent.
struct BuildingErrorsTests {
    private let sender = ScriptedRequestSender(json: "{}")

    private func builder() -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>().quiet().sender(sender)
    }

    private func error(of builder: UrlChainsBuilder<Route>) async throws -> RequestBuildingError {
        let chain: Node<Void, Json> = builder.build()
        let error = await thrown(RequestBuildingError.self) { try await chain.execute() }
        #expect(sender.requests.isEmpty)
        return try #require(error)
    }

    @Test func aMissingRouteIsNamed() async throws {
        let error = try await error(of: builder())
        #expect(error.code == .missingRoute)
        #expect(
            error.description == "UrlChainsBuilder<Route> was given no route: call route(_:_:) before building.")
        #expect(error.cause == nil)
    }

    @Test func aMissingRouteIsTheErrorOfEveryForm() async throws {
        let builder = builder().set(query: ["a": 1])
        let user = User(id: 1, name: "Ann")
        let form = MultipartModel<[String: Data]>(payloadModel: [:])
        let forms: [() async throws -> Void] = [
            { _ = try await (builder.build() as Node<User, User>).execute(user) },
            { _ = try await (builder.build() as Node<Void, User>).execute() },
            { try await (builder.build() as Node<User, Void>).execute(user) },
            { try await (builder.build() as Node<Void, Void>).execute() },
            { _ = try await (builder.build() as Node<MultipartModel<[String: Data]>, User>).execute(form) },
            { try await (builder.build() as Node<MultipartModel<[String: Data]>, Void>).execute(form) },
            { _ = try await builder.loadData().execute() },
            { _ = try await (builder.loadData() as Node<User, Data>).execute(user) },
        ]
        for form in forms {
            let error = await thrown(RequestBuildingError.self) { try await form() }
            #expect(error?.code == .missingRoute)
        }
        #expect(sender.requests.isEmpty)
    }

    @Test(arguments: [[:], ["a": 1]])
    func aRouteThatThrowsIsTheCause(query: [String: Int]) async throws {
        let error = try await error(of: builder().route(.get, .broken).set(query: query))
        #expect(error.code == .routeFailed)
        #expect(error.cause as? Route.Broken == Route.Broken())
        #expect(error.description == "The route gave no URL: Broken()")
    }

    private static let question = #" Is "http://" missing in front of it?"#

    private static let unusableUrls: [(String, String)] = [
        (
            "api.example.com/users",
            #"The route's URL "api.example.com/users" has no scheme. Is "https://" missing in front of it?"#
        ),
        (
            "localhost:8123/a",
            #"The route's URL has the scheme "localhost"; only http and https can be sent.\#(question)"#
        ),
        ("/users", #"The route's URL "/users" has no scheme. Is "https://" missing in front of it?"#),
        ("ftp://example.com/a", #"The route's URL has the scheme "ftp"; only http and https can be sent."#),
        ("file:///etc/hosts", #"The route's URL has the scheme "file"; only http and https can be sent."#),
        ("http:///users", "The route's URL names no host."), ("https:users", "The route's URL names no host."),
    ]

    @Test(arguments: unusableUrls)
    func aUrlThatHttpCannotUseSaysWhy(text: String, description: String) async throws {
        let error = try await error(of: builder().route(.get, .text(text)))
        #expect(error.code == .invalidUrl)
        #expect(error.description == description)
    }

    @Test func aBaseThatIsNoUrlSaysSo() async throws {
        let error = try await error(of: builder().route(.get, .text("127.0.0.1:8123")))
        #expect(error.code == .invalidUrl)
        #expect(
            error.description == #"The base URL that "" should be appended to is empty or no URL.\#(Self.question)"#)
    }

    @Test func whatTheEncoderThrowsPassesUp() async throws {
        let chain: Node<Unwritable, Json> = builder().route(.post, .users).build()
        let error = await thrown(EncodingError.self) { try await chain.execute(Unwritable()) }
        guard case .invalidValue(let value, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(value as? Double == .infinity)
        #expect(context.codingPath.map(\.stringValue) == ["value"])
        let loading: Node<Unwritable, Data> = builder().route(.post, .users).loadData()
        await #expect(throws: EncodingError.self) { try await loading.execute(Unwritable()) }
        #expect(sender.requests.isEmpty)
    }

    @Test func aQueryValueWithoutAFormIsNamed() async throws {
        struct Odd {}
        let builder = builder().route(.get, .users).set(query: ["fine": 1, "list": [["odd": Odd()]]])
        let error = try await error(of: builder)
        #expect(error.code == .unsupportedQueryValue)
        #expect(error.description == #"The query value "list[][odd]" is of type Odd, which has no form in a query."#)
        // A query that is set anew takes the place of the wrong one.
        let chain: Node<Void, Json> = builder.set(query: ["fine": 1]).build()
        _ = try await chain.execute()
        #expect(sender.requests.map(\.url.query) == ["fine=1"])
    }

    @Test(arguments: [ParametersEncoding.formUrl, .urlQuery])
    func parametersWithoutNamesDoNotFitAForm(encoding: ParametersEncoding) async throws {
        let chain: Node<Json, Json> = builder().route(.post, .users).encode(as: encoding).build()
        let error = await thrown(RequestBuildingError.self) { try await chain.execute([1, 2]) }
        #expect(error?.code == .unencodableParameters)
    }

    @Test func aFileThatCannotBeUploadedIsNamed() async throws {
        let chain: Node<MultipartModel<[String: Data]>, Json> = builder().route(.post, .users).build()
        let folder = FileManager.default.temporaryDirectory
        for (path, description) in [
            ("/no/such/file.png", "/no/such/file.png can't be read for the upload: No such file or directory."),
            (folder.path, "\(folder.path) is not a regular file, so it can't be uploaded."),
        ] {
            let form = MultipartModel<[String: Data]>(
                payloadModel: [:], files: ["photo": .url(url: URL(fileURLWithPath: path))])
            let error = await thrown(RequestBuildingError.self) { try await chain.execute(form) }
            #expect(error?.code == .unreadableFile)
            #expect(error?.description == description)
        }
        #expect(sender.requests.isEmpty)
    }

    @Test(arguments: [["X A": "1"], ["X-A": "1\r\nX-B: 2"], ["": "1"]])
    func aHeaderThatWouldBreakOutOfItsLineIsRefused(headers: [String: String]) async throws {
        struct Provider: MetadataProvider {
            let headers: [String: String]
            func metadata() -> [String: String] { headers }
        }
        for builder in [
            builder().set(metadata: headers), builder().inject(headers: headers),
            builder().add(provider: Provider(headers: headers)),
        ] {
            let error = try await error(of: builder.route(.get, .users))
            #expect(error.code == .invalidHeader)
            #expect(!error.description.contains("X-B"))
        }
    }

    @Test func whatAProviderThrowsIsTheCause() async throws {
        struct Provider: MetadataProvider {
            func metadata() async throws -> [String: String] { throw Route.Broken() }
        }
        let error = try await error(of: builder().route(.get, .users).add(provider: Provider()))
        #expect(error.code == .metadataFailed)
        #expect(error.cause as? Route.Broken == Route.Broken())
    }
}
