import NetChainKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx, .httpbin))
struct EncodingTests {
    private static let fields: [String: Json] = [
        "email": "ada@example.com", "password": "a+b & c=d/é🦁", "remember": "1", "attempts": "3",
    ]

    private func answer(
        _ method: HttpMethod, as encoding: ParametersEncoding, to path: String = "/anything"
    ) async throws -> Anything {
        try await request(method, .httpbin, path).encode(as: encoding).build().execute(Login())
    }

    @Test(arguments: ["POST", "PUT", "PATCH"] as [HttpMethod])
    func jsonIsTheBody(method: HttpMethod) async throws {
        let answer = try await answer(method, as: .json)
        #expect(answer.method == method.rawValue)
        #expect(answer.headers["Content-Type"] == "application/json")
        #expect(try answer.json?.decode(Login.self) == Login())
        #expect(answer.args == [:])
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"] as [HttpMethod])
    func aFormIsTheBody(method: HttpMethod) async throws {
        let answer = try await answer(method, as: .formUrl)
        #expect(answer.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(answer.form == Self.fields)
        #expect(answer.args == [:])
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE"] as [HttpMethod])
    func aQueryIsInTheUrl(method: HttpMethod) async throws {
        let answer = try await answer(method, as: .urlQuery)
        #expect(answer.args == Self.fields)
        #expect(answer.data == "")
        #expect(answer.headers["Content-Type"] == nil)
    }

    @Test(arguments: [ParametersEncoding.json, .formUrl, .urlQuery])
    func methodsWithoutABodyCarryTheirParametersInTheQuery(encoding: ParametersEncoding) async throws {
        let answer = try await answer(.get, as: encoding)
        #expect(answer.args == Self.fields)
        #expect(answer.data == "")
    }

    @Test func aDeleteCarriesItsParametersInTheBody() async throws {
        let answer = try await answer(.delete, as: .json)
        #expect(answer.method == "DELETE")
        #expect(try answer.json?.decode(Login.self) == Login())
    }

    @Test func parametersFollowTheQueryOfTheRoute() async throws {
        let answer = try await answer(.get, as: .urlQuery, to: "/anything?first=1")
        #expect(answer.args == Self.fields.merging(["first": "1"]) { $1 })
    }

    @Test func anEncodingOfTheUsersOwnIsUsed() async throws {
        let csv = ParametersEncoding("csv") { parameters, request in
            let login = try parameters.decode(Login.self)
            request.body = .data(Data("email;attempts\n\(login.email);\(login.attempts)\n".utf8))
            request.headers["Content-Type"] = "text/csv"
            request.headers["X-Encoding"] = "csv"
        }
        let answer = try await answer(.post, as: csv)
        #expect(answer.data == "email;attempts\nada@example.com;3\n")
        #expect(answer.headers["Content-Type"] == "text/csv")
        #expect(answer.headers["X-Encoding"] == "csv")
    }

    @Test func theContentTypeOfTheRequestIsKept() async throws {
        let answer: Anything = try await request(.post, .httpbin, "/anything")
            .set(metadata: ["Content-Type": "application/vnd.api+json"]).build().execute(Login())
        #expect(answer.headers["Content-Type"] == "application/vnd.api+json")
    }

    @Test func aFormIsWrittenToTheByteAsItsRulesSay() async throws {
        let chain: Node<Json, Data> = try request(.post, .nginx, "/raw-body").encode(as: .formUrl).loadData()
        let data = try await chain.execute(["b": ["x y", "+"], "a": ["k": "é"], "none": nil, "yes": true, "n": 1.5])
        #expect(String(decoding: data, as: UTF8.self) == "a%5Bk%5D=%C3%A9&b%5B%5D=x%20y&b%5B%5D=%2B&n=1.5&yes=1")
    }

    @Test func headersOfTheApplicationArriveOnceEach() async throws {
        let text = String(
            decoding: try await request(.get, .nginx, "/raw-headers")
                .set(metadata: ["Accept": "text/plain", "X-Empty": ""]).loadData().execute(), as: UTF8.self)
        let lines = text.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "GET /raw-headers HTTP/1.1")
        #expect(lines.filter { $0.hasPrefix("Accept:") } == ["Accept: text/plain"])
        #expect(lines.filter { $0.hasPrefix("X-Empty:") }.count == 1)
        #expect(lines.contains("User-Agent: NetChainKit"))
        #expect(!text.contains("Content-Length") && !text.contains("Content-Type") && !text.contains("Expect"))
    }
}
