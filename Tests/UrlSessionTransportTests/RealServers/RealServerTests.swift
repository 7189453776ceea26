import NetChainKit
import TestSupport
import Testing
import UrlSessionTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What Scripts/real-servers.sh tells of the servers that it started.
private enum RealServer {
    static let nginx = address("NETCHAIN_NGINX_URL")
    static let nginxTls = address("NETCHAIN_NGINX_TLS_URL")
    static let httpbin = address("NETCHAIN_HTTPBIN_URL")

    static let areThere = nginx != nil && nginxTls != nil && httpbin != nil

    private static func address(_ variable: String) -> URL? {
        ProcessInfo.processInfo.environment[variable].flatMap { URL(string: $0) }
    }
}

/// The URLSession sender at the end of the whole chain, against nginx and httpbin; RealServerTests has more of them,
/// over libcurl.
@Suite(.enabled(if: RealServer.areThere, "needs nginx and httpbin, whose addresses Scripts/test.sh sets"))
struct RealServerTests {
    private func request(_ method: HttpMethod, _ base: URL?, _ path: String) throws -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().route(method, try base + path).sender(try SenderKind.urlSession.sender())
            .log(to: .silent)
    }

    @Test func aQueryArrivesAsItWasSet() async throws {
        let query: [String: Any] = ["foo": ["a", 1, true] as [Any], "name": "français+🦁", "page": ["n": 2]]
        let json: Json = try await request(.get, RealServer.httpbin, "/anything").set(query: query).build().execute()
        #expect(json["args"] == ["foo[]": ["a", "1", "1"], "name": "français+🦁", "page[n]": "2"])
        let data = try await request(.get, RealServer.nginx, "/raw-uri?a=b+c").set(query: ["+": "é"]).loadData()
            .execute()
        #expect(String(decoding: data, as: UTF8.self) == "/raw-uri?a=b+c&%2B=%C3%A9")
    }

    @Test func aModelIsSentAsJsonAndAsAForm() async throws {
        let model: Json = ["name": "Лев & 🦁", "age": 7]
        let json: Json = try await request(.post, RealServer.httpbin, "/anything").build().execute(model)
        #expect(json["json"] == model)
        #expect(json["headers"]?["Content-Type"] == "application/json")
        let form: Json = try await request(.post, RealServer.httpbin, "/anything").encode(as: .formUrl)
            .build().execute(model)
        #expect(form["form"] == ["name": "Лев & 🦁", "age": "7"])
    }

    @Test func aMultipartFormIsRead() async throws {
        let file = try TemporaryFile(Data("notes".utf8))
        var form = MultipartModel(fields: ["title": "\"Sunset\"", "tag": "sea", "tag": "sun"])
        form.append(.url(url: file.url, filename: "notes.txt"), name: "file")
        let json: Json = try await request(.post, RealServer.httpbin, "/anything").build().execute(form)
        #expect(json["form"] == ["title": "\"Sunset\"", "tag": ["sea", "sun"]])
        #expect(json["files"] == ["file": "notes"])
        file.remove()
    }

    @Test(arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
    func aCompressedAnswerIsRead(form: String, member: String) async throws {
        let json: Json = try await request(.get, RealServer.httpbin, "/\(form)").build().execute()
        #expect(json[member] == true)
    }

    @Test func theBodyGoesWithARedirectThatKeepsTheMethod() async throws {
        let path = "/redirect-to?url=/anything&status_code=307"
        let json: Json = try await request(.post, RealServer.httpbin, path).build().execute(["a": 1] as Json)
        #expect(json["method"] == "POST")
        #expect(json["json"] == ["a": 1])
    }

    @Test func aFileIsLoadedByteForByte() async throws {
        let data = try await request(.get, RealServer.nginx, "/blob.bin").loadData().execute()
        // Byte number i is i % 251.
        var expected = Data()
        while expected.count < 5 << 20 { expected.append(Data(0..<251)) }
        #expect(data == expected.prefix(5 << 20))
    }

    @Test func aStatusThatMeansFailureIsAnError() async throws {
        let error = await thrown(HttpError.self) {
            try await request(.get, RealServer.nginx, "/status/404").build(Void.self).execute()
        }
        #expect(error?.status == 404)
        #expect(try error?.decodeBody(as: Json.self)["message"] == "not found")
    }

    @Test func anAnswerWithoutABodyIsAnEmptyJson() async throws {
        let json: Json = try await request(.get, RealServer.nginx, "/status/204").build().execute()
        #expect(json == [:])
    }

    @Test func aCertificateOfAnUnknownAuthorityIsRejected() async throws {
        let error = await thrown(TransportError.self) {
            try await request(.get, RealServer.nginxTls, "/users").build(Void.self).execute()
        }
        #expect(error?.code == .certificateRejected)
    }

    @Test(.timeLimit(.minutes(1))) func aRequestThatTakesTooLongTimesOut() async throws {
        let error = await thrown(TechnicalError.self) {
            try await request(.get, RealServer.nginx, "/stalled")
                .timeout(.milliseconds(300)).build(Void.self).execute()
        }
        #expect(error?.cause.code == .requestTimedOut)
    }
}
