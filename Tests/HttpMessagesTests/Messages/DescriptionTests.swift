import HttpMessages
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a debugger or a `print` shows.
struct DescriptionTests {
    @Test func aRequestAndItsAnswerShowWhatTheyAreAndNoSecret() throws {
        let url = try #require(URL(string: "https://ada:hunter2@api.example.com/users?access_token=hunter2&page=2"))
        let request = HttpRequest(
            method: .post, url: url, headers: ["Authorization": "hunter2"], body: .data(Data("hunter2".utf8)))
        let text = "POST https://***@api.example.com/users?access_token=***&page=2, body of 7 bytes"
        #expect("\(request)" == text)
        let described = HttpRequest(method: .post, url: url, headers: request.headers, body: request.body)
        #expect("\(described)" == text)
        #expect("\(request.headers)" == "Authorization: ***")
        let answer = HttpResponse(request: request, status: 201, headers: ["Set-Cookie": "hunter2"])
        #expect("\(answer)" == "status 201, 0 bytes, response to \(text)")
    }

    /// They are passed on as one reference each; a change is the changer's own.
    @Test func aChangeOfOneCopyIsNoneOfTheOther() throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        let request = HttpRequest(method: .get, url: url)
        var changed = request
        changed.headers["X-A"] = "1"
        changed.method = .put
        #expect(request.headers["X-A"] == nil)
        #expect(request.method == .get)
        #expect(changed.headers["X-A"] == "1")
        let answer = HttpResponse(request: request, status: 200, data: Data([1]))
        var other = answer
        other.data.append(2)
        other.request.attempt = 2
        #expect(answer.data == Data([1]))
        #expect(answer.request.attempt == 1)
        #expect(other.data == Data([1, 2]))
    }
}
