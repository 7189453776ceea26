import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RequestTests {
    /// What the server received of a request.
    private func received(
        _ kind: SenderKind, _ method: HttpMethod = .get, _ path: String = "/", headers: HttpHeaders = [:],
        body: RequestBody = .empty, _ change: (inout SenderConfiguration) -> Void = { _ in }
    ) async throws -> LoopbackRequest {
        let server = try LoopbackServer()
        server.on(.any, "*", respond: .text("ok"))
        _ = try await kind.sender(change).observed(server.request(method, path, headers: headers, body: body)).value
        return try #require(server.requests.first)
    }

    @Test(
        arguments: SenderKind.allCases,
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"] as [HttpMethod])
    func theMethodArrives(kind: SenderKind, method: HttpMethod) async throws {
        let request = try await received(kind, method)
        #expect(request.method.rawValue == method.rawValue)
        #expect(request.body.isEmpty)
        #expect(request.headers["Content-Type"] == nil)
    }

    @Test(arguments: SenderKind.allCases, ["POST", "PUT", "PATCH"] as [HttpMethod])
    func noBodyHasALengthWhereTheMethodMeansOne(kind: SenderKind, method: HttpMethod) async throws {
        #expect(try await received(kind, method).headers["Content-Length"] == "0")
    }

    @Test(arguments: SenderKind.allCases)
    func aGetHasNoLength(kind: SenderKind) async throws {
        let request = try await received(kind)
        #expect(request.headers["Content-Length"] == nil)
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    @Test(
        arguments: SenderKind.allCases,
        [
            "/users/1", "/a+b%20c?d=e+f%2Bg&h%5B%5D", "//double//slash", "/%C3%A9/%2F/;p?a=b=c&&",
        ])
    func theTargetArrivesAsItIs(kind: SenderKind, path: String) async throws {
        let request = try await received(kind, .get, path)
        #expect(request.target == path)
    }

    @Test(arguments: SenderKind.allCases, ["POST", "PUT", "PATCH", "DELETE"] as [HttpMethod])
    func aBodyFromMemoryArrives(kind: SenderKind, method: HttpMethod) async throws {
        let body = RequestBody.data(Data("{\"id\":1}".utf8))
        let request = try await received(kind, method, headers: ["Content-Type": "application/json"], body: body)
        #expect(request.text == "{\"id\":1}")
        #expect(request.headers.values(of: "Content-Type") == ["application/json"])
        #expect(request.headers.values(of: "Content-Length") == ["8"])
        #expect(request.headers["Expect"] == nil)
    }

    @Test(
        arguments: SenderKind.allCases,
        [["Content-Length": "3"], ["transfer-encoding": "chunked"]] as [HttpHeaders])
    func theSenderFramesTheBodyWhateverTheHeadersAre(kind: SenderKind, headers: HttpHeaders) async throws {
        let request = try await received(kind, .put, headers: headers, body: .data(Data("a body".utf8)))
        #expect(request.text == "a body")
        #expect(request.headers.values(of: "Content-Length") == ["6"])
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    /// RFC 9110 §11.7.2: they are for a proxy, and there is none.
    @Test(arguments: SenderKind.allCases)
    func aServerGetsNoCredentialsForAProxy(kind: SenderKind) async throws {
        let request = try await received(kind, headers: ["proxy-authorization": "Basic YTpi", "X-A": "1"])
        #expect(request.headers["Proxy-Authorization"] == nil)
        #expect(request.headers["X-A"] == "1")
    }

    @Test(arguments: SenderKind.allCases)
    func aBodyFromAFileArrives(kind: SenderKind) async throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try TemporaryFile(content)
        let request = try await received(
            kind, .put, headers: ["Content-Type": "application/octet-stream"], body: .file(file.url))
        #expect(request.body == Array(content))
        #expect(request.headers["Content-Length"] == "200000")
        file.remove()
    }

    /// Also after a redirect that wants the body again.
    @Test(arguments: SenderKind.allCases, [0..<100_000, 3..<199_999, 199_999..<200_000, 5..<5] as [Range<Int64>])
    func aPartOfAFileArrives(kind: SenderKind, range: Range<Int64>) async throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try TemporaryFile(content)
        defer { file.remove() }
        let server = try LoopbackServer()
        server.on(.put, "/first", respond: .redirect(to: "/end", status: 307))
        server.on(.put, "/end", respond: .text("ok"))
        let request = server.request(.put, "/first", body: try .file(file.url, range: range))
        _ = try await kind.sender().observed(request).value
        let part = Array(content[Int(range.lowerBound)..<Int(range.upperBound)])
        #expect(server.requests.map(\.body) == [part, part])
        #expect(server.requests.last?.headers["Content-Length"] == "\(range.count)")
    }

    @Test(arguments: SenderKind.allCases)
    func aPartOfAFileThatChangesItsSizeIsNotSent(kind: SenderKind) async throws {
        let file = try TemporaryFile(Data(count: 10))
        defer { file.remove() }
        let server = try LoopbackServer()
        server.on(.put, "/", respond: .text("ok"))
        let request = server.request(.put, "/", body: try .file(file.url, range: 0..<5))
        try Data(count: 9).write(to: file.url)
        let error = await thrown(TransportError.self) { try await kind.sender().observed(request).value }
        #expect(error?.code == .uploadFailed)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: SenderKind.allCases)
    func headersArriveAsTheyAre(kind: SenderKind) async throws {
        let request = try await received(
            kind, headers: ["Accept": "text/plain", "X-Name": "Лев; a=\"b\"", "Authorization": "Bearer abc"])
        #expect(request.headers.values(of: "Accept") == ["text/plain"])
        #expect(request.headers["X-Name"] == "Лев; a=\"b\"")
        #expect(request.headers["Authorization"] == "Bearer abc")
        #expect(request.headers["User-Agent"] == "NetChainKit")
        #expect(request.headers["Cookie"] == nil)
    }

    @Test(arguments: SenderKind.allCases)
    func aRepeatedHeaderArrivesWithAllItsValues(kind: SenderKind) async throws {
        let request = try await received(kind, headers: ["X-Tag": "a", "X-Tag": "b"])
        let values = request.headers.values(of: "X-Tag").joined(separator: ",")
        #expect(values.replacing(" ", with: "") == "a,b")
    }

    @Test(arguments: SenderKind.allCases)
    func theUserAgentIsTheRequestsBeforeTheSenders(kind: SenderKind) async throws {
        let own = try await received(kind, headers: ["User-Agent": "App/1"]) { $0.userAgent = "Sender/1" }
        #expect(own.headers.values(of: "User-Agent") == ["App/1"])
        let senders = try await received(kind) { $0.userAgent = "Sender/1" }
        #expect(senders.headers.values(of: "User-Agent") == ["Sender/1"])
    }

    @Test(arguments: SenderKind.allCases)
    func cookiesAreOffByDefaultAndKeptWhereAskedFor(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "*", respond: .text("ok").header("Set-Cookie", "session=1; Path=/"))
        let forgetful = try kind.sender()
        _ = try await forgetful.observed(server.request()).value
        _ = try await forgetful.observed(server.request()).value
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, nil])
        server.forgetRequests()
        let mindful = try kind.sender { $0.cookies = .memory }
        _ = try await mindful.observed(server.request()).value
        _ = try await mindful.observed(server.request()).value
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "session=1"])
    }

    @Test(arguments: SenderKind.allCases, ["CONNECT", "", "GET /\r\nX: 1", "BAD METHOD"] as [HttpMethod])
    func aMethodThatIsNoneFails(kind: SenderKind, method: HttpMethod) async throws {
        let server = try LoopbackServer()
        #expect(try await kind.sender().failure(server.request(method)) == .invalidRequest)
        #expect(server.counts.connectionsAccepted == 0)
    }

    @Test(
        arguments: SenderKind.allCases,
        [["X-A": "1\r\nX-B: 2"], ["X-A": "\0"], ["X A": "1"], ["": "1"], ["X-A:": "1"]] as [HttpHeaders])
    func aHeaderThatIsNoneFails(kind: SenderKind, headers: HttpHeaders) async throws {
        let server = try LoopbackServer()
        #expect(try await kind.sender().failure(server.request(headers: headers)) == .invalidRequest)
        #expect(server.counts.connectionsAccepted == 0)
    }

    @Test(arguments: SenderKind.allCases)
    func aHeadWithABodyFails(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        let request = server.request(.head, body: .data(Data("body".utf8)))
        #expect(try await kind.sender().failure(request) == .invalidRequest)
        #expect(server.counts.connectionsAccepted == 0)
    }

    @Test(arguments: SenderKind.allCases, ["ftp://127.0.0.1/x", "file:///etc/hostname", "/x", "http:///x"])
    func aUrlThatIsNoneOfHttpFails(kind: SenderKind, text: String) async throws {
        let url = try #require(URL(string: text))
        #expect(try await kind.sender().failure(HttpRequest(method: .get, url: url)) == .invalidUrl)
    }
}
