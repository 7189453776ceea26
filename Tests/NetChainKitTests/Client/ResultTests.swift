import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a response becomes, by the type that is asked for.
struct ResultTests {
    private enum Level: String, Codable, CodingKeyRepresentable { case low, high }

    private struct Plain: Codable, Equatable { let id: Int }

    private func api(_ body: String, status: Int = 200) -> ApiClient {
        ApiClient("https://api.example.com") {
            $0.sender = ScriptedRequestSender { $0.respond(status: status, body: Data(body.utf8)) }
            $0.log.sink = .silent
        }
    }

    @Test func anyCodableTypeIsAResult() async throws {
        let uuid = UUID()
        #expect(try await api("7").get("").send() == 7)
        #expect(try await api("1.5").get("").send() == 1.5)
        #expect(try await api("true").get("").send() == true)
        #expect(try await api("\"\(uuid)\"").get("").send() == uuid)
        #expect(try await api(#"["a"]"#).get("").send() == ["a"])
        #expect(try await api("[1, 2]").get("").send() == [1, 2])
        #expect(try await api("[1, 2, 1]").get("").send() == Set([1, 2]))
        #expect(try await api(#"{"a": 1}"#).get("").send() == ["a": 1])
        #expect(try await api(#"{"low": 1}"#).get("").send() == [Level.low: 1])
        #expect(try await api(#""high""#).get("").send() == Level.high)
        #expect(try await api(#"{"id": 1}"#).get("").send() == Plain(id: 1))
        #expect(try await api(#"[{"id": 1}, null]"#).get("").send() == [Plain(id: 1), nil])
        #expect(try await api(#"{"id": 1}"#).get("").send() == ["id": 1] as Json)
        #expect(try await api("text").get("").send(as: String.self) == "text")
        #expect(try await api("text").get("").send(as: Data.self) == Data("text".utf8))
        #expect(try await api(#"{"townName": "Riga"}"#).get("").send() == Town(name: "Riga"))
        let response = try await api("[1]", status: 201).get("").send(as: ApiResponse<[Int]>.self)
        #expect((response.value, response.status) == ([1], 201))
        let text: ApiResponse<String> = try await api("text").get("").send()
        #expect(text.value == "text")
        #expect(try await api("text").get("").send().value == Data("text".utf8))
    }

    private struct Problem: Decodable, Sendable { let errorCode: Int }

    @Test func anErrorsBodyIsDecodedWithTheClientsDecoder() async throws {
        let api = ApiClient("https://api.example.com") {
            $0.sender = ScriptedRequestSender { $0.respond(status: 422, body: Data(#"{"error_code": 7}"#.utf8)) }
            $0.log.sink = .silent
            $0.json.keys = .snakeCase
        }
        let error = await thrown(HttpError.self) { try await api.get("").send() }
        #expect(try error?.decodeBody(as: Problem.self).errorCode == 7)
    }

    @Test(arguments: ["", "null", "{}", "[]"]) func anEmptyBodyIsAnEmptyCollectionOrNil(body: String) async throws {
        #expect(try await api(body).get("").send(as: [Plain].self).isEmpty)
        #expect(try await api(body).get("").send(as: [Town].self).isEmpty)
        #expect(try await api(body).get("").send(as: Set<Int>.self).isEmpty)
        #expect(try await api(body).get("").send(as: [String: Int].self).isEmpty)
        if body != "[]" {
            if body != "{}" { #expect(try await api(body).get("").send(as: Plain?.self) == nil) }
            #expect(try await api(body).get("").send(as: Town?.self) == nil)
        }
        await #expect(throws: DecodingError.self) { try await api(body).get("").send(as: Plain.self) }
    }

    @Test func anEmptyObjectIsAValueForAnOptional() async throws {
        struct Settings: Codable, Equatable {
            var theme: String?
        }
        #expect(try await api("{}").get("").send(as: Settings?.self) == Settings())
        #expect(try await api("").get("").send(as: Settings?.self) == nil)
        #expect(try await api("null").get("").send(as: Settings?.self) == nil)
    }

    @Test func a304IsNilAndNeverAnEmptyCollection() async throws {
        let api = api("", status: 304).acceptedStatuses(.successful(and: 304))
        #expect(try await api.get("").send(as: [Plain]?.self) == nil)
        #expect(try await api.get("").send(as: [Town]?.self) == nil)
        #expect(try await api.get("").send(as: ApiResponse<[Plain]?>.self).value == nil)
        #expect(try await api.get("").send(as: ApiResponse<Data>.self).status == 304)
        for error in [
            await thrown(HttpError.self) { _ = try await api.get("").send(as: [Plain].self) },
            await thrown(HttpError.self) { _ = try await api.get("").send(as: [Town].self) },
            await thrown(HttpError.self) { _ = try await api.get("").send(as: ApiResponse<[Plain]>.self) },
            await thrown(HttpError.self) { _ = try await api.get("").send(as: Json.self) },
        ] {
            #expect(error?.status == 304)
        }
    }

    @Test func anotherShapeNamesTheRequestAndTheCodingPath() async throws {
        let error = await thrown(DecodingError.self) {
            _ = try await api("[1]").get("users?token=secret").send(as: [Plain].self)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            context.debugDescription.contains("In the response to GET https://api.example.com/users?token=***"))
        #expect(context.codingPath.map(\.intValue) == [0])
        let missing = await thrown(DecodingError.self) { _ = try await api("[null]").get("").send(as: [Plain].self) }
        #expect(missing.map { "\($0)" }?.contains(". In the response to GET https://api.example.com") == true)
        await #expect(throws: ResponseParsingError.self) { try await api("<").get("").send(as: Plain.self) }
    }

    @Test(arguments: [204, 200])
    func theErrorOfAnEmptyBodySaysThatThereIsNone(status: Int) async throws {
        let api = api("", status: status)
        for error in [
            await thrown(DecodingError.self) { _ = try await api.get("users/1").send(as: Int.self) },
            await thrown(DecodingError.self) { _ = try await api.get("users/1").send(as: Plain.self) },
        ] {
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("In the response to GET https://api.example.com/users/1, which has no body"))
        }
        #expect(try await api.get("").send(as: Json.self) == [:])
    }

    @available(*, deprecated)
    @Test func aUrlIsNoBody() async throws {
        let error = await thrown(RequestBuildingError.self) {
            try await api("").put("x").body(try #require(URL(string: "file:///etc/hostname"))).send()
        }
        #expect(error?.code == .unencodableParameters)
    }

    @Test func anyCodableTypeIsABody() async throws {
        func sent(_ request: (ApiClient) -> ApiRequest) async throws -> (String, String?) {
            let sender = ScriptedRequestSender { $0.respond() }
            let api = ApiClient("https://api.example.com") { $0.sender = sender }.log(to: .silent)
            try await request(api).send()
            let request = try #require(sender.requests.first)
            return (String(decoding: request.body.inMemory ?? Data(), as: UTF8.self), request.headers["Content-Type"])
        }
        let json = "application/json"
        #expect(try await sent { $0.post("").body(Plain(id: 1)) } == (#"{"id":1}"#, json))
        #expect(try await sent { $0.post("").body([1, 2]) } == ("[1,2]", json))
        #expect(try await sent { $0.post("").body(7) } == ("7", json))
        #expect(try await sent { $0.post("").body(["a": 1]) } == (#"{"a":1}"#, json))
        #expect(try await sent { $0.post("").body(Town(name: "Riga")) } == (#"{"townName":"Riga"}"#, json))
        #expect(try await sent { $0.post("").body("text") } == ("text", "text/plain; charset=utf-8"))
        #expect(try await sent { $0.post("").body(Data("a".utf8)) } == ("a", "application/octet-stream"))
        #expect(try await sent { $0.post("").body(.data(Data("a".utf8)), contentType: "x/y") } == ("a", "x/y"))
        let binary = "application/octet-stream"
        #expect(try await sent { $0.post("").body(.data(Data("a".utf8))) } == ("a", binary))
        let body = RequestBody.data(Data("a".utf8))
        #expect(try await sent { $0.post("").body(body) } == ("a", binary))
        let form = "application/x-www-form-urlencoded"
        #expect(
            try await sent { $0.post("").form(["b": [1, 2], "a": "x y"]) } == ("a=x%20y&b%5B%5D=1&b%5B%5D=2", form))
        #expect(try await sent { $0.post("").form(Plain(id: 1)) } == ("id=1", form))
        #expect(try await sent { $0.post("") } == ("", nil))
    }

    @Test func aBodyThatCannotBeEncodedFailsAndSendsNothing() async throws {
        let sender = ScriptedRequestSender { $0.respond() }
        let api = ApiClient("https://api.example.com") { $0.sender = sender }.log(to: .silent)
        await #expect(throws: EncodingError.self) { try await api.post("").body([Double.nan]).send() }
        #expect(sender.requests.isEmpty)
    }

    @Test func theServersErrorModelIsTheError() async throws {
        struct Problem: Decodable { let message: String }
        let api = api(#"{"message": "name is taken"}"#, status: 409).mapErrors(as: Problem.self)
        let error = await thrown(ApiError<Problem>.self) { try await api.get("").send() }
        #expect(error?.problem.message == "name is taken")
        #expect(error?.response.status == 409)
        #expect(error?.status == 409)
        #expect(error?.description == error?.error.description)
        let other = self.api("<html>", status: 503).mapErrors(as: Problem.self)
        let plain = await thrown(HttpError.self) { try await other.get("").send() }
        #expect(plain?.status == 503)
    }

    /// For the limits of bytes of a journal, a sink and a store.
    @Test func anErrorWithAModelCountsItsBody() async throws {
        struct Problem: Decodable { let message: String }
        let message = String(repeating: "a", count: 100_000)
        let api = api(#"{"message": "\#(message)"}"#, status: 409).mapErrors(as: Problem.self)
        let error = try #require(await thrown(ApiError<Problem>.self) { try await api.get("").send() })
        #expect(error.retainedBodyBytes >= 100_000)
    }

    @Test func anErrorModelWithADescriptionIsInTheErrorsText() async throws {
        struct Problem: Decodable, CustomStringConvertible {
            let message: String
            var description: String { message }
        }
        let api = api(#"{"message": "name is taken by Bearer hunter2"}"#, status: 409).mapErrors(as: Problem.self)
        let error = try #require(await thrown(ApiError<Problem>.self) { try await api.get("").send() })
        #expect(error.description == "\(error.error.description): name is taken by Bearer ***")
        #expect(error.errorDescription == error.description)
    }
}
