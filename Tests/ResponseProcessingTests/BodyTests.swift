import Dispatch
import Models
import NodeCore
import ResponseProcessing
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct BodyTests {
    struct City: JsonModel, Equatable {
        let name: String
    }

    @Test(arguments: [
        (204, "", HttpMethod.get), (205, "", .post), (200, "", .get), (201, "", .post), (200, "", .head),
        // What such an answer must not have isn't looked at when it comes anyway.
        (204, "garbage", .get), (205, "garbage", .get), (200, "garbage", .head),
    ])
    func anAnswerWithoutABodyIsAnEmptyJson(status: Int, body: String, method: HttpMethod) async throws {
        let json = try await processed(answer(status, body, method: method))
        #expect(json == Json())
        #expect(json.kind == .object)
        #expect(try [City].from(raw: json).isEmpty)
    }

    @Test(arguments: [(200, "null"), (200, "{}"), (200, "[]"), (200, ""), (200, " [ ] \n"), (204, "")])
    func nothingIsAnEmptyArrayWhereOneIsWanted(status: Int, body: String) async throws {
        let json = try await processed(answer(status, body))
        #expect(try [City].from(raw: json).isEmpty)
        #expect(try [String: City].from(raw: json).isEmpty)
    }

    @Test(
        arguments: [
            (#"{"name": "Riga"}"#, ["name": "Riga"]), (#"[{"name": "Riga"}, 1]"#, [["name": "Riga"], 1]),
            (#""text""#, "text"), ("12.5", 12.5), ("true", true), ("null", nil),
            (#"{"a": [[], {}]}"#, ["a": [[], [:]]]),
        ] as [(String, Json)])
    func anyJsonTextIsRead(text: String, json: Json) async throws {
        #expect(try await processed(answer(200, text)) == json)
    }

    @Test func theBytesOfTheBodyStayAsTheyCame() async throws {
        let text = #"{ "big" : 123456789012345678901234567890.50, "a": 1.0 }"#
        #expect(try await processed(answer(200, text)).data == Data(text.utf8))
    }

    @Test(
        arguments: [
            ("<html>", "unexpected character", 1, 1), ("{\n  \"a\": 1,\n  \"b\": x}", "unexpected character", 3, 8),
            (#"{"token": "geheim"#, "the document ends too early", 1, 18),
            (#"[1] geheim"#, "characters after the end of the document", 1, 5),
            (" ", "the document ends too early", 1, 2),
        ])
    func whatIsNoJsonIsAnErrorThatNamesThePlaceAndShowsNoBody(
        body: String, words: String, line: Int, column: Int
    ) async throws {
        let answer = try answer(200, body, headers: ["Content-Type": "text/html; charset=utf-8", "X-Secret": "geheim"])
        let error = try #require(await thrown(ResponseParsingError.self) { _ = try await processed(answer) })
        #expect(error.cause.line == line)
        #expect(error.cause.column == column)
        #expect(error.response.data == Data(body.utf8))
        #expect(
            error.description == """
                The response to GET http://example.com/users/1 (status 200, \(body.utf8.count) bytes, declared as \
                text/html) can't be read: Invalid JSON: \(words) at line \(line), column \(column) \
                (byte \(error.cause.offset))
                """)
    }

    @Test(
        arguments: [
            ("application/json", ", declared as application/json"),
            ("text/plain; token=geheim", ", declared as text/plain"),
            ("geheim", ""), ("a/b\u{1B}[31m", ""), (nil, ""), (String(repeating: "a", count: 200) + "/b", ""),
        ])
    func onlyAMediaTypeOfTheContentTypeIsShown(contentType: String?, shown: String) async throws {
        var headers = HttpHeaders()
        headers["Content-Type"] = contentType
        let answer = try answer(200, "x", headers: headers, attempt: 2)
        let error = try #require(await thrown(ResponseParsingError.self) { _ = try await processed(answer) })
        #expect(
            error.description == """
                The response to GET http://example.com/users/1 (attempt 2) (status 200, 1 bytes\(shown)) can't be read: \
                \(error.cause)
                """)
    }

    @Test(arguments: [(204, HttpMethod.get), (205, .get), (205, .post), (200, .head)])
    func aResponseWithoutContentHasNoneForAnyResult(status: Int, method: HttpMethod) throws {
        let answer = try answer(status, "garbage", method: method)
        #expect(try Data.from(response: answer).isEmpty)
        #expect(try String.from(response: answer).isEmpty)
        #expect(try Json.from(response: answer) == Json())
        #expect(try ApiResponse<Data>.from(response: answer).value.isEmpty)
    }

    @Test func theEndThatReadsNothingGivesTheResponseAsItCame() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        var answer = try answer()
        answer.data = bytes
        let loaded = try await DataLoadingResponseProcessor().execute(answer)
        #expect(try Data.from(response: loaded) == bytes)
        #expect(loaded.readJson == nil)
    }

    @Test func textIsReadWhateverBytesItHas() async throws {
        #expect(try String.from(response: answer(200, "{a")) == "{a")
        var answer = try answer()
        answer.data = Data([0x61, 0xFF, 0x62])
        #expect(try String.from(response: answer) == "a\u{FFFD}b")
    }

    @Test func aResponseThatNoParserSawIsReadWhereItsJsonIsWanted() async throws {
        #expect(try Json.from(response: answer(200, #"{"a": 1}"#)) == ["a": 1])
        #expect(try Json.from(response: answer(200, "")) == Json())
        #expect(throws: ResponseParsingError.self) { try Json.from(response: answer(200, "<")) }
    }
}
