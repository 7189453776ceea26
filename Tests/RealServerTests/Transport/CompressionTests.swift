import NetChainKit
import TestSupport
import Testing

@Suite(.needs(.nginx, .httpbin))
struct CompressionTests {
    @Test(arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
    func aCompressedAnswerIsRead(form: String, member: String) async throws {
        let answer: Json = try await request(.httpbin, "/\(form)").build().execute()
        #expect(answer[member] == true)
    }

    @Test func aCompressedAnswerCostsLessOnTheWire() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let response = try await sender.observed(rawRequest(.nginx, "/users-large")).value
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(try Json(parsing: response.data).count == 205)
        #expect(response.metrics.bytesReceived < response.data.count / 2)
    }

    @Test func noneIsAskedForWhereItIsTurnedOff() async throws {
        let sender = try CurlRequestSender(configuration: .loopback { $0.compression = false })
        let response = try await sender.observed(rawRequest(.nginx, "/users-large")).value
        #expect(response.headers["Content-Encoding"] == nil)
        #expect(response.metrics.bytesReceived == response.data.count)
        let echo: Echo = try await request(.nginx, "/echo", with: sender).build().execute()
        #expect(echo.acceptEncoding == "")
    }
}
