#if os(Linux)
import Foundation
import Testing

@testable import UrlTransport

/// A sender remembers how the first origin is written; whatever comes then has to have the origin that it has by itself.
struct KnownOriginTests {
    @Test(arguments: ["http://api.example:80", "http://api.example:8080", "http://api.example", "https://api.example"])
    func whatASenderRemembersChangesNoOrigin(first: String) throws {
        for suffix in ["", "/x"] {
            let settings = CurlSenderSettings(SenderConfiguration())
            _ = settings.origin(of: try #require(URL(string: first + suffix)))
            for text in [
                "", "/", "/users?a=b", "?a=b", "#c", ":80/", ":8080/", ":808/", ":80801/", "80/", ".evil/", "x/",
                "@evil/",
                "-x/", "%2e/", "\u{e4}/", ":/", ":080/", "/:81/",
            ].map({ first + $0 }) + [
                "http://api.example/", "https://api.example/", "HTTP://api.example/", "http://API.example/",
                "http://api/",
                "http://user@api.example/", "http://[::1]/", "http://other/",
            ] {
                guard let url = URL(string: text) else { continue }
                let (origin, isPlain) = settings.origin(of: url)
                #expect(origin == Origin(url), "\(text) after \(first + suffix)")
                #expect(!isPlain || Origin.read(url.appending(path: "x")).isPlain, "\(text) after \(first + suffix)")
            }
        }
    }

    @Test(arguments: ["http://api.example", "https://api.example:8443"])
    func theFirstOriginIsRemembered(first: String) throws {
        let settings = CurlSenderSettings(SenderConfiguration())
        #expect(!settings.hasKnownOrigin)
        let url = try #require(URL(string: first + "/x"))
        let (origin, isPlain) = settings.origin(of: url)
        #expect(settings.hasKnownOrigin && isPlain)
        let known = try #require(KnownOrigin(origin, of: url))
        for suffix in ["", "/", "?a", "#b"] {
            #expect(known.isOrigin(of: try #require(URL(string: first + suffix))))
        }
    }

    @Test func whatIsWrittenUnusuallyIsNotRemembered() throws {
        let settings = CurlSenderSettings(SenderConfiguration())
        for text in ["http://api.example:080/", "http://user@api.example/", "http://[::1]/"] {
            _ = settings.origin(of: try #require(URL(string: text)))
            #expect(!settings.hasKnownOrigin)
        }
    }

    @Test func manyThreadsRememberOneOrigin() async throws {
        let urls = try (0..<8).map { try #require(URL(string: "http://host-\($0).example/x")) }
        for _ in 0..<50 {
            let settings = CurlSenderSettings(SenderConfiguration())
            await withTaskGroup(of: Void.self) { group in
                for url in urls {
                    group.addTask {
                        for _ in 0..<20 { #expect(settings.origin(of: url).origin.host == url.host) }
                    }
                }
            }
        }
    }
}
#endif
