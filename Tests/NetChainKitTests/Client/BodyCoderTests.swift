import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bodies of formats other than JSON: results, request bodies and errors.
struct BodyCoderTests {
    /// Property lists, in the form of the page.
    private struct PropertyListCoder: BodyCoder {
        var mediaType = "application/x-plist"

        func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
            try PropertyListDecoder().decode(type, from: body)
        }

        func encode(_ value: some Encodable) throws -> Data { try PropertyListEncoder().encode(value) }
    }

    /// Values of one line: `name=value`.
    private struct LineCoder: BodyCoder {
        struct Failure: Error, Equatable {}

        let mediaType = "text/x-line"

        func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
            let words = String(decoding: body, as: UTF8.self).split(separator: "=")
            guard words.count == 2, let value = Int(words[1]) else { throw Failure() }
            return try Json([String(words[0]): Json(value)]).decode(type)
        }

        func encode(_ value: some Encodable) throws -> Data { throw Failure() }
    }

    private struct Note: Codable, Equatable { var id: Int }

    private func api(
        _ coders: [any BodyCoder], type: String?, _ body: Data, status: Int = 200
    ) -> (ApiClient, ScriptedRequestSender) {
        let sender = ScriptedRequestSender {
            $0.respond(status: status, headers: HttpHeaders(type.map { ["Content-Type": $0] } ?? [:]), body: body)
        }
        let api = ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.log.sink = .silent
            $0.coders = coders
        }
        return (api, sender)
    }

    @Test func aCoderReadsResultsAndWritesBodies() async throws {
        let coder = PropertyListCoder()
        let (api, sender) = api([coder], type: "application/x-plist; charset=utf-8", try coder.encode(Note(id: 7)))
        #expect(try await api.post("notes").body(Note(id: 3)).send() == Note(id: 7))
        let request = try #require(sender.requests.last)
        #expect(request.headers["Content-Type"] == "application/x-plist")
        #expect(request.headers["Accept"] == "application/x-plist")
        #expect(try coder.decode(Note.self, from: #require(request.body.inMemory)) == Note(id: 3))
        let response = try await api.get("notes/7").send(as: ApiResponse<Note>.self)
        #expect((response.value, response.status) == (Note(id: 7), 200))
        let chain: Node<Note, Note> = UrlChainsBuilder<URL>().route(.put, URL(filePath: "/"))
            .coder(coder).route(.put, try #require(URL(string: "https://api.example.com/x"))).sender(sender)
            .log(to: .silent).build()
        #expect(try await chain.execute(Note(id: 4)) == Note(id: 7))
        #expect(sender.requests.last?.headers["Content-Type"] == "application/x-plist")
    }

    @Test func theHeadersOfTheCallerWin() async throws {
        let coder = PropertyListCoder()
        let (api, sender) = api([coder], type: nil, try coder.encode(Note(id: 7)))
        let _: Note = try await api.post("x").header("Accept", "text/plain").header("Content-Type", "text/x-own")
            .body(Note(id: 1)).send()
        #expect(sender.requests.last?.headers["Accept"] == "text/plain")
        #expect(sender.requests.last?.headers["Content-Type"] == "text/x-own")
    }

    @Test(arguments: [
        ("text/x-line", "n=1"), ("TEXT/X-Line ; a=b", "n=1"), (nil, "n=1"), ("text/html", "n=1"), ("", "n=1"),
        ("application/json", #"{"n": 1}"#), ("application/problem+json", #"{"n": 1}"#),
    ])
    func theMediaTypeOfAResponseChoosesItsCoder(type: String?, body: String) async throws {
        let (api, _) = api([LineCoder(), PropertyListCoder()], type: type, Data(body.utf8))
        #expect(try await api.get("").send(as: [String: Int].self) == ["n": 1])
    }

    @Test func aSuffixNamesTheFormat() async throws {
        let list = try PropertyListCoder().encode(["n": 1])
        let coders: [any BodyCoder] = [LineCoder(), PropertyListCoder()]
        #expect(
            try await api(coders, type: "application/feed+x-plist", list).0.get("").send(as: [String: Int].self) == [
                "n": 1
            ])
        #expect(
            try await api(coders, type: "application/x-plist", list).0.get("").send(as: [String: Int].self) == ["n": 1])
    }

    @Test func formsOfTheirOwnStay() async throws {
        let (api, _) = api([PropertyListCoder()], type: "application/json", Data(#"{"townName": "Riga"}"#.utf8))
        #expect(try await api.get("").send() == Town(name: "Riga"))
        #expect(try await api.get("").send(as: String.self) == #"{"townName": "Riga"}"#)
        #expect(try await api.get("").send(as: Json.self) == ["townName": "Riga"])
    }

    @Test func anEmptyBodyIsAnEmptyCollectionOrNil() async throws {
        let (api, _) = api([LineCoder()], type: "text/x-line", Data(), status: 200)
        #expect(try await api.get("").send() == [Int]())
        #expect(try await api.get("").send(as: Note?.self) == nil)
        let error = await thrown(DecodingError.self) { try await api.get("1").send(as: Note.self) }
        #expect("\(try #require(error))".contains("There is no body. In the response to GET https://api.example.com/1"))
    }

    @Test func a304IsNilOrAnError() async throws {
        let (api, _) = api([LineCoder()], type: nil, Data(), status: 304)
        let accepting = api.acceptedStatuses(.successful(and: 304))
        #expect(try await accepting.get("").send(as: Note?.self) == nil)
        let error = await thrown(HttpError.self) { try await accepting.get("").send(as: Note.self) }
        #expect(error?.statusCode == 304)
        await #expect(throws: HttpError.self) { try await accepting.get("").send(as: [Note].self) }
        let typed = self.api([LineCoder()], type: "application/json", Data(), status: 304).0
        await #expect(throws: HttpError.self) {
            try await typed.acceptedStatuses(.all).get("").send(as: Note.self)
        }
    }

    @Test func anErrorOfADecoderNamesTheRequest() async throws {
        let (api, _) = api([LineCoder()], type: nil, Data("none".utf8))
        let error = await thrown(DecodingError.self) { try await api.get("1").send(as: Note.self) }
        guard case .dataCorrupted(let context) = error else { throw try #require(error) }
        #expect(
            context.debugDescription
                == "The body can't be read as text/x-line. In the response to GET https://api.example.com/1")
        #expect(context.underlyingError as? LineCoder.Failure == LineCoder.Failure())
    }

    @Test func anErrorOfAnEncoderIsThatOfTheRequest() async throws {
        let (api, sender) = api([LineCoder()], type: nil, Data())
        await #expect(throws: LineCoder.Failure.self) { try await api.post("1").body(Note(id: 1)).send() }
        #expect(sender.requests.isEmpty)
    }

    private struct Problem: Decodable, Sendable { let code: Int }

    @Test func errorModelsAreDecodedByTheSameCoders() async throws {
        let list = try PropertyListCoder().encode(["code": 7])
        for (type, body) in [("application/x-plist", list), ("application/problem+json", Data(#"{"code": 7}"#.utf8))] {
            let (api, _) = api([PropertyListCoder()], type: type, body, status: 422)
            let mapped = await thrown(ApiError<Problem>.self) {
                try await api.mapErrors(as: Problem.self).get("").send(as: Note.self)
            }
            #expect(mapped?.problem.code == 7)
            let error = await thrown(HttpError.self) { try await api.get("").send() }
            #expect(try error?.decodeBody(as: Problem.self).code == 7)
        }
    }
}
