import NetChainKit
import Testing

/// What a recorder writes of exchanges with nginx.
struct HarTests {
    private func headers(_ list: Json?) -> [String: String] {
        var headers: [String: String] = [:]
        for field in list?.array ?? [] { headers[field["name"]?.string?.lowercased() ?? ""] = field["value"]?.string }
        return headers
    }

    private func entries(_ recorder: HarRecorder) throws -> [Json] {
        try #require(try Json(parsing: recorder.data())["log"]?["entries"]?.array)
    }

    @Test(.needs(.nginx)) func theHeadersOfLibcurlAreThere() async throws {
        let recorder = HarRecorder()
        let echo: Echo = try await request(.nginx, "/echo").record(to: recorder).build().execute()
        let entry = try #require(try entries(recorder).first)
        let sent = headers(entry["request"]?["headers"])
        #expect(sent["host"] == echo.host)
        #expect(sent["user-agent"] == echo.userAgent)
        #expect(sent["accept-encoding"] == echo.acceptEncoding)
        #expect(entry["response"]?["statusText"]?.string == "OK")
        #expect(try #require(entry["request"]?["headersSize"]?.int) > 40)
        #expect(try #require(entry["response"]?["headersSize"]?.int) > 40)
    }

    @Test(.needs(.nginxTls, .authorities)) func ofHttp2TooAndWithTls() async throws {
        let recorder = HarRecorder()
        let sender = try CurlRequestSender(configuration: .tls())
        let echo: Echo = try await request(.nginxTls, "/echo", with: sender).record(to: recorder).build().execute()
        let entry = try #require(try entries(recorder).first)
        #expect(entry["request"]?["httpVersion"]?.string == "HTTP/2")
        #expect(headers(entry["request"]?["headers"])["user-agent"] == echo.userAgent)
        #expect(entry["request"]?["headersSize"]?.int == -1)
        #expect(entry["response"]?["statusText"]?.string == "")
        #expect(try #require(entry["timings"]?["ssl"]?.double) > 0)
        #expect(try #require(entry["timings"]?["connect"]?.double) >= entry["timings"]?["ssl"]?.double ?? 0)
    }
}
