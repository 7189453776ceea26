import Models
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The request that the encoder and the transformer make of parameters.
func transformed(
    _ parameters: Json, _ method: HttpMethod = .post, _ encoding: ParametersEncoding = .json,
    url: String = "http://a.example/x", metadata: [String: String] = [:]
) async throws -> HttpRequest {
    try await transformed(.json(parameters), method, encoding, url: url, metadata: metadata)
}

/// The request that the encoder and the transformer make of a payload.
func transformed(
    _ payload: RequestPayload, _ method: HttpMethod = .post, _ encoding: ParametersEncoding = .json,
    url: String = "http://a.example/x", metadata: [String: String] = [:]
) async throws -> HttpRequest {
    let spy = Spy<HttpRequest, Void>()
    let node = RequestEncoderNode(next: UrlRequestTransformerNode(next: spy, method: method), encoding: encoding)
    let route = try #require(URL(string: url))
    try await node.execute(RoutableRequestModel(metadata: metadata, raw: payload, route: route))
    return try #require(spy.inputs.first)
}

extension HttpRequest {
    fileprivate var text: String? {
        body.inMemory.map { String(decoding: $0, as: UTF8.self) }
    }
}

struct ParametersEncodingTests {
    private let parameters: Json = ["name": "A b", "tags": ["x", "y"], "on": true, "none": nil, "price": 1.5]
    private let query = "name=A%20b&on=1&price=1.5&tags%5B%5D=x&tags%5B%5D=y"

    @Test(arguments: [HttpMethod.post, .put, .patch, .delete, .options, "PURGE"])
    func jsonIsTheBodyOfMethodsThatHaveOne(method: HttpMethod) async throws {
        let request = try await transformed(parameters, method, .json)
        #expect(request.method == method)
        #expect(try Json(parsing: try request.body.read()) == parameters)
        #expect(request.headers == ["Content-Type": "application/json"])
        #expect(request.url.absoluteString == "http://a.example/x")
    }

    @Test(arguments: [HttpMethod.get, .head], [ParametersEncoding.json, .formUrl, .urlQuery])
    func theOthersCarryTheirParametersInTheQuery(
        method: HttpMethod, encoding: ParametersEncoding
    ) async throws {
        let request = try await transformed(parameters, method, encoding, url: "http://a.example/x?own=1")
        #expect(request.url.absoluteString == "http://a.example/x?own=1&\(query)")
        #expect(request.body.isEmpty)
        #expect(request.headers == [:])
    }

    @Test(arguments: [HttpMethod.post, .delete])
    func aFormIsTheBody(method: HttpMethod) async throws {
        let request = try await transformed(parameters, method, .formUrl)
        #expect(request.text == query)
        #expect(request.headers == ["Content-Type": "application/x-www-form-urlencoded"])
    }

    @Test func aFormGoesByItsEncodersStrategies() async throws {
        let encoder = QueryEncoder(
            boolStrategy: URLQueryBoolEncodingDefaultStrategy.asBool,
            arrayStrategy: URLQueryArrayKeyEncodingBracketsStrategy.noBrackets)
        let expected = "name=A%20b&on=true&price=1.5&tags=x&tags=y"
        #expect(try await transformed(parameters, .put, .formUrl(encoder)).text == expected)
        #expect(
            try await transformed(parameters, .put, .urlQuery(encoder)).url.absoluteString
                == "http://a.example/x?\(expected)")
    }

    @Test func theQueryEncodingServesEveryMethod() async throws {
        let request = try await transformed(parameters, .post, .urlQuery)
        #expect(request.url.absoluteString == "http://a.example/x?\(query)")
        #expect(request.body.isEmpty)
        #expect(request.headers == [:])
    }

    @Test(arguments: [HttpMethod.get, .delete, .post])
    func jsonCanBeTheBodyOfAGetToo(method: HttpMethod) async throws {
        let request = try await transformed(["id": 1], method, .jsonBody)
        #expect(request.text == #"{"id":1}"#)
        #expect(request.headers == ["Content-Type": "application/json"])
    }

    @Test(arguments: [ParametersEncoding.json, .formUrl])
    func theCallersContentTypeIsKept(encoding: ParametersEncoding) async throws {
        let request = try await transformed(["a": 1], .post, encoding, metadata: ["content-type": "application/x-own"])
        #expect(request.headers == ["content-type": "application/x-own"])
    }

    @Test(arguments: [[1, 2] as Json, "text", 7, true])
    func anyJsonIsAJsonBody(value: Json) async throws {
        #expect(try Json(parsing: try await transformed(value, .post, .json).body.read()) == value)
    }

    @Test(arguments: [
        (ParametersEncoding.formUrl, "form", HttpMethod.post), (.urlQuery, "query", .post),
        (.json, "query", .get), (.formUrl, "form", .delete),
    ])
    func onlyAnObjectCanBeAFormOrAQuery(
        encoding: ParametersEncoding, name: String, method: HttpMethod
    ) async throws {
        for value: Json in [[1, 2], "text", 7] {
            let error = try #require(
                await thrown(RequestBuildingError.self) {
                    _ = try await transformed(value, method, encoding)
                })
            #expect(error.description.contains("a \(name)"))
            #expect(error.code == .unencodableParameters)
        }
    }

    @Test func numbersOfAnySizeSurvive() async throws {
        let numbers = try Json(parsing: #"{"a":18446744073709551615,"b":-9223372036854775808,"c":1e400,"d":0.10}"#)
        #expect(
            try await transformed(numbers, .post, .formUrl).text
                == "a=18446744073709551615&b=-9223372036854775808&c=1e400&d=0.10")
    }

    @Test func nullAndNoMembersAreAnEmptyForm() async throws {
        for value: Json in [.null, [:]] {
            let request = try await transformed(value, .post, .formUrl)
            #expect((request.text, request.body.isEmpty) == ("", false))
            #expect(try await transformed(value, .get, .json).url.absoluteString == "http://a.example/x")
        }
    }

    @Test func anEncodingCanBeTheUsersOwn() async throws {
        let csv = ParametersEncoding("csv") { parameters, request in
            request.body = .data(Data((parameters["a"]?.string ?? "").utf8))
            request.headers["Content-Type"] = "text/csv"
        }
        let request = try await transformed(["a": "1;2"], .get, csv)
        #expect((request.text, request.headers["Content-Type"]) == ("1;2", "text/csv"))
        #expect("\(csv)" == "csv")
    }

    @Test func whatAnEncodingThrowsIsTheChainsError() async throws {
        struct Failure: Error {}
        let failing = ParametersEncoding("failing") { _, _ in throw Failure() }
        await #expect(throws: Failure.self) { _ = try await transformed([:], .post, failing) }
    }
}

struct UrlRequestTransformerNodeTests {
    @Test(arguments: [ParametersEncoding.json, .jsonBody, .formUrl, .urlQuery])
    func withoutParametersThereIsNoBodyAndNoContentType(encoding: ParametersEncoding) async throws {
        for method: HttpMethod in [.get, .post, .delete] {
            let request = try await transformed(RequestPayload.none, method, encoding)
            #expect(request.body.isEmpty)
            #expect(request.headers == [:])
            #expect(request.url.absoluteString == "http://a.example/x")
        }
    }

    @Test func metadataBecomeHeaders() async throws {
        let request = try await transformed(RequestPayload.none, metadata: ["X-B": "2", "X-A": "1"])
        #expect(request.headers == ["X-A": "1", "X-B": "2"])
        #expect(request.attempt == 1)
    }

    @Test(arguments: [
        ("ftp://a.example/x", "The route's URL has the scheme \"ftp\"; only http and https can be sent."),
        ("file:///etc/passwd", "The route's URL has the scheme \"file\"; only http and https can be sent."),
        ("/relative", #"The route's URL "/relative" has no scheme. Is "https://" missing in front of it?"#),
        ("http:///x", "The route's URL names no host."),
        ("https:x", "The route's URL names no host."),
    ])
    func aUrlThatHttpCantUseIsAnError(url: String, description: String) async throws {
        let error = try #require(
            await thrown(RequestBuildingError.self) {
                _ = try await transformed(RequestPayload.none, .get, .json, url: url)
            })
        #expect((error.code, error.description) == (.invalidUrl, description))
    }

    @Test(arguments: [("X-A\r\nX-B", "1"), ("X A", "1"), ("", "1"), ("X-A:", "1"), ("X-\u{E9}", "1")])
    func aNameThatIsNoTokenIsAnError(name: String, value: String) async throws {
        let error = try #require(
            await thrown(RequestBuildingError.self) {
                _ = try await transformed(RequestPayload.none, metadata: [name: value])
            })
        #expect(error.code == .invalidHeader)
    }

    @Test(arguments: ["1\r\nX-Evil: 2", "1\nX-Evil: 2", "1\r", "a\0b"])
    func aValueThatWouldBreakOutOfItsLineIsAnErrorThatHidesIt(value: String) async throws {
        let error = try #require(
            await thrown(RequestBuildingError.self) {
                _ = try await transformed(RequestPayload.none, metadata: ["X-Test": value])
            })
        #expect(
            (error.code, error.description)
                == (.invalidHeader, "The value of the header X-Test holds a line break or a NUL."))
    }

    @Test func aRouteThatThrowsIsTheCauseOfTheError() async throws {
        struct Route: UrlRouteProvider {
            struct Failure: Error {}
            func url() throws -> URL { throw Failure() }
        }
        let node = UrlRequestTransformerNode(next: Spy<HttpRequest, Void>(), method: .get)
        let model = EncodableRequestModel<any UrlRouteProvider, RequestPayload, ParametersEncoding>(
            metadata: [:], raw: .none, route: Route(), encoding: .json)
        let error = try #require(await thrown(RequestBuildingError.self) { try await node.execute(model) })
        #expect(error.code == .routeFailed)
        #expect(error.cause is Route.Failure)
    }
}
