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

struct HttpErrorTests {
    struct ApiProblem: Decodable, Equatable {
        let code: Int
        let message: String
    }

    @Test func theServersErrorModelIsReadFromIt() throws {
        let error = HttpError(try answer(422, #"{"code": 7, "message": "name is taken"}"#))
        #expect(try error.decodeBody() == ApiProblem(code: 7, message: "name is taken"))
        #expect(try error.decodeBody(as: [String: Json].self)["code"] == 7)
    }

    @Test func aBodyThatIsNoJsonOrAnotherModelSaysSo() throws {
        #expect(throws: JsonError.self) {
            try HttpError(try answer(500, "<html>")).decodeBody(as: ApiProblem.self)
        }
        let error = thrown(DecodingError.self) {
            try HttpError(try answer(500, #"{"code": "x"}"#)).decodeBody(as: ApiProblem.self)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["code"])
        #expect(context.debugDescription.hasSuffix("In the response to GET http://example.com/users/1"))
    }

    @Test(
        arguments: [
            (400, " (bad request)"), (401, " (unauthorized)"), (403, " (forbidden)"), (404, " (not found)"),
            (500, " (internal server error)"), (503, " (service unavailable)"), (499, ""),
        ])
    func itsDescriptionShowsTheRequestAndTheStatusOnly(status: Int, name: String) throws {
        let answer = try answer(
            status, "geheim", headers: ["Set-Cookie": "geheim", "X-Any": "geheim"], method: .post)
        let error = HttpError(answer)
        let text = "POST http://example.com/users/1 failed with status \(status)\(name)"
        #expect("\(error)" == text)
        #expect(String(reflecting: error) == text)
        #expect("\([error as any Error])" == "[\(text)]")
    }

    @Test(
        arguments: [
            (429, "120", " (too many requests), Retry-After: 120 s", Duration.seconds(120)),
            (503, "Sun, 06 Nov 1994 08:50:07 GMT", " (service unavailable), Retry-After: 30 s", .seconds(30)),
            (503, "soon", " (service unavailable)", nil), (413, "7", " (content too large)", .seconds(7)),
            (429, "-1", " (too many requests)", nil),
        ])
    func itShowsHowLongTheServerAsksToWait(status: Int, header: String, end: String, delay: Duration?) throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let error = HttpError(try answer(status, headers: ["Retry-After": header, "Date": date]))
        #expect("\(error)".hasSuffix("with status \(status)\(end)"))
        #expect((error as any NetChainFailure).retryAfter == delay)
    }

    @Test func secretsInItsUrlAreMasked() throws {
        let error = HttpError(try answer(404, url: "http://example.com/a?page=2&access_token=geheim"))
        #expect(!error.description.contains("geheim"))
        #expect(error.description.contains("page=2"))
    }

    @Test func itTellsInWhichAttemptItHappened() throws {
        let error = HttpError(try answer(503, attempt: 3))
        #expect(
            error.description
                == "GET http://example.com/users/1 (attempt 3) failed with status 503 (service unavailable)")
    }

    @Test(arguments: [(401, true), (403, true), (400, false), (404, false), (407, false), (500, false), (419, false)])
    func accessFailuresAreThoseOfCoreNetKit(status: Int, isAccessFailure: Bool) throws {
        let error: any AccessFailure = HttpError(try answer(status))
        #expect(error.isAccessFailure == isAccessFailure)
        #expect(error.isForbidden == (status == 403))
    }
}
