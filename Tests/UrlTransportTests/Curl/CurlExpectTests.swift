#if os(Linux)
import NodeCore
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server may reject an `Expect: 100-continue`. libcurl would send the request again and again then.
struct CurlExpectTests {
    private static let rejection = "HTTP/1.1 417 Expectation Failed\r\nX-Number: 1\r\nContent-Length: 2\r\n\r\nno"
    private static let acceptance = "HTTP/1.1 200 OK\r\nX-Other: 2\r\nContent-Length: 3\r\n\r\nyes"

    private func post(
        _ body: RequestBody, to server: HeadServer, from sender: CurlRequestSender? = nil
    ) async throws -> HttpResponse {
        try await (try sender ?? makeSender()).send(
            .post, server.url, headers: ["Expect": "100-continue"], body: body
        ).value
    }

    /// Whether each request had an `Expect`.
    private func expectations(of server: HeadServer) -> [Bool] {
        server.heads.map { $0.contains("\r\nExpect: 100-continue") }
    }

    @Test(arguments: [4, 100_000])
    func aRequestIsSentOnceMoreWithoutARejectedExpectation(size: Int) async throws {
        let server = try HeadServer(Self.rejection, Self.acceptance)
        let response = try await post(.data(Data(count: size)), to: server)
        #expect((response.status, response.text) == (200, "yes"))
        #expect((response.headers["X-Number"], response.headers["X-Other"]) == (nil, "2"))
        #expect(response.metrics.redirects == 0)
        #expect(expectations(of: server) == [true, false])
    }

    @Test(arguments: [4, 100_000])
    func aSecondRejectionIsTheResponse(size: Int) async throws {
        let server = try HeadServer(Self.rejection)
        let response = try await post(.data(Data(count: size)), to: server)
        #expect((response.status, response.headers["X-Number"], response.text) == (417, "1", "no"))
        #expect(expectations(of: server) == [true, false])
    }

    @Test(arguments: [
        "HTTP/1.1 417 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
        "HTTP/1.1 417 No\r\nLocation: /other\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 417 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 417 No\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
    ])
    func noResponseIsMadeOfTwo(rejection: String) async throws {
        let server = try HeadServer(rejection, Self.acceptance)
        let response = try await post(.data(Data(count: 100_000)), to: server)
        #expect((response.status, response.headers["X-Other"], response.text) == (200, "2", "yes"))
        #expect(expectations(of: server) == [true, false])
    }

    @Test func aStreamThatWasNotReadIsSentOnceMore() async throws {
        let server = try HeadServer(Self.rejection, Self.acceptance)
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(Data(count: 4))
            continuation.finish()
        }
        #expect(try await post(.stream(stream), to: server).text == "yes")
        // The end of the chunks looks like another head.
        #expect(expectations(of: server).prefix(2) == [true, false])
    }

    /// The server may still wait for the body, and would take the next request for it.
    @Test func aConnectionWithoutItsBodyIsNotReused() async throws {
        let server = try HeadServer(Self.rejection, Self.acceptance)
        let response = try await post(.data(Data(count: 100_000)), to: server)
        #expect((response.status, response.metrics.reusedConnection) == (200, false))
    }

    /// The server accepts the request without its body. It may still wait for the body, as above.
    @Test(arguments: [4, 100_000])
    func aConnectionOfAnEarlyAcceptanceIsNotReused(size: Int) async throws {
        let server = try HeadServer(Self.acceptance)
        let sender = try makeSender()
        let first = try await post(.data(Data(count: size)), to: server, from: sender)
        #expect((first.status, first.text) == (200, "yes"))
        let second = try await sender.send(.get, server.url).value
        #expect((second.text, second.metrics.reusedConnection) == ("yes", false))
    }

    @Test(arguments: [HttpMethod.get, .post])
    func a417WithoutAnExpectationIsAResponse(method: HttpMethod) async throws {
        let server = try HeadServer(Self.rejection)
        let body = method == .post ? RequestBody.data(Data(count: 4)) : .empty
        let response = try await makeSender().send(method, server.url, body: body).value
        #expect((response.status, response.text) == (417, "no"))
        #expect(server.heads.count == 1)
    }
}
#endif
