import Foundation
import Logging
import Models
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import HttpArchive
@testable import UrlTransport

#if os(Linux)
/// The real curl sends what the library's own sender sends.
struct CurlCommandTests {
    struct Sample: Sendable, CustomStringConvertible {
        let description: String
        var method = HttpMethod.get
        var target = "/a"
        var headers = HttpHeaders()
        var body: @Sendable (TemporaryFolder) throws -> RequestBody = { _ in .empty }
        var configure: @Sendable (inout CurlRequestSender.Configuration) -> Void = { _ in }
    }

    static let allBytes = Data((0...255).map { UInt8($0) } + "'\\%s%%\\n\\0001".utf8)

    static func multipart(_ folder: TemporaryFolder) throws -> RequestBody {
        let file = try folder.file("it's a %s \"photo\".bin", allBytes + Data(repeating: 0, count: 5000))
        return try MultipartEncoder(boundary: "edge").encode([
            MultipartPart(name: "title", content: .data(Data("two 'words'\nand $HOME `id` \\ %d !!".utf8))),
            MultipartPart(name: "photo", file: .url(url: file)),
            MultipartPart(name: "raw", file: .data(data: allBytes, filename: "raw.bin")),
            MultipartPart(name: "again", file: .url(url: file, filename: "b.txt")),
        ])
    }

    static let samples = [
        Sample(description: "a plain GET"),
        Sample(
            description: "a query with all that shells and globs know",
            target: "/a%20b/[x]{1,2}?q=$(id)&r=`id`&s='a'&t[]=1&u={a,b}&v=*!~#end"),
        Sample(description: "dots in the path", target: "/a/../b/./c"),
        Sample(
            description: "headers",
            headers: [
                "Accept": "application/json", "X-Empty": "", "X-Quotes": #"it's "so" \ $HOME !"#, "X-Twice": "1",
                "X-Twice": "2", "X-Text": "Grüße", "User-Agent": "mine",
            ]),
        Sample(
            description: "fields that the sender drops", method: .post,
            headers: ["Content-Length": "1", "transfer-encoding": "chunked", "Content-Type": "text/plain"],
            body: { _ in .data(Data("text".utf8)) }),
        Sample(description: "a length without a body", headers: ["Content-Length": "4"]),
        Sample(description: "a field of blanks", headers: ["X-Blank": " \t "]),
        Sample(
            description: "no user agent, no compression",
            configure: {
                $0.userAgent = nil
                $0.compression = false
            }),
        Sample(description: "HEAD", method: .head),
        Sample(description: "DELETE", method: .delete),
        Sample(description: "OPTIONS", method: .options),
        Sample(description: "a method of one's own", method: "X-LIST!"),
        Sample(description: "POST without a body", method: .post),
        Sample(description: "PUT without a body", method: .put),
        Sample(
            description: "JSON", method: .post, headers: ["Content-Type": "application/json"],
            body: { _ in .data(Data(#"{"a": "it's\n", "b": ["🦁", "\\"], "c": "$x"}"#.utf8)) }),
        Sample(
            description: "JSON with PATCH", method: .patch, headers: ["Content-Type": "application/json"],
            body: { _ in .data(Data("{\n  \"a\": 1\n}\n".utf8)) }),
        Sample(
            description: "a form", method: .post, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: { _ in .data(Data("a=b+c&d=%26&e=".utf8)) }),
        Sample(description: "a body like a file's name", method: .post, body: { _ in .data(Data("@/etc/hosts".utf8)) }),
        Sample(description: "a body without a type", method: .put, body: { _ in .data(Data("text".utf8)) }),
        Sample(description: "a body of no bytes", method: .delete, body: { _ in .data(Data()) }),
        Sample(description: "GET with a body", body: { _ in .data(Data("{}".utf8)) }),
        Sample(description: "all bytes", method: .post, body: { _ in .data(allBytes) }),
        Sample(description: "a body like an option", method: .post, body: { _ in .data(Data("--\t1".utf8)) }),
        Sample(description: "text like an option", method: .post, body: { _ in .data(Data("-v\n".utf8)) }),
        Sample(
            description: "more text than an argument takes", method: .post,
            body: { _ in .data(Data(String(repeating: "it's long\n", count: 30_000).utf8)) }),
        Sample(
            description: "a file", method: .put,
            body: { try .file($0.file("it's a file, \"$HOME\" ümlaut.bin", allBytes)) }),
        Sample(
            description: "a file of two megabytes", method: .post,
            body: { try .file($0.file("large", Data(repeating: 7, count: 2 << 20))) }),
        Sample(
            description: "a multipart form", method: .post,
            headers: ["Content-Type": "multipart/form-data; boundary=edge"], body: multipart),
        Sample(
            description: "HTTP/1.1 only", configure: { $0.httpVersion = .http1 }),
    ]

    @Test(.enabled(if: RealCurl.isThere, "curl is not installed"), arguments: samples)
    func curlSendsTheSame(sample: Sample) async throws {
        let server = try LoopbackServer()
        server.on(.any, "*", respond: .status(204))
        let folder = try TemporaryFolder()
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        sample.configure(&configuration)
        let request = HttpRequest(
            method: sample.method, url: server.url(sample.target), headers: sample.headers,
            body: try sample.body(folder))
        _ = try await CurlRequestSender(configuration: configuration).observed(request).value
        for redaction in [Redaction.standard, .none] {
            let command = request.curlCommand(redaction: redaction, configuration: configuration)
            try RealCurl.run(command)
        }
        let received = server.requests
        try #require(received.count == 3)
        for other in received.dropFirst() {
            #expect(other.method == received[0].method)
            #expect(other.target == received[0].target)
            #expect(Self.lines(other) == Self.lines(received[0]))
            #expect(other.body == received[0].body)
        }
    }

    private static func lines(_ request: LoopbackRequest) -> [String] {
        request.headers.fields.map { "\($0.name): \($0.value)" }.sorted()
    }

    @Test(.enabled(if: RealCurl.isThere, "curl is not installed"))
    func credentialsOfTheUrlAreSent() async throws {
        let server = try LoopbackServer()
        server.on(.any, "*", respond: .status(204))
        let url = try #require(URL(string: "http://bob:p%40ss@127.0.0.1:\(server.port)/a"))
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        let request = HttpRequest(method: .get, url: url)
        _ = try await CurlRequestSender(configuration: configuration).observed(request).value
        try RealCurl.run(request.curlCommand(redaction: .none, configuration: configuration))
        let authorizations = server.requests.map { $0.headers["Authorization"] }
        #expect(authorizations == Array(repeating: "Basic Ym9iOnBAc3M=", count: 2))
    }

    @Test(.enabled(if: RealCurl.isThere, "curl is not installed"))
    func redirectsAreFollowedOnlyWhenAskedFor() throws {
        let server = try LoopbackServer()
        server.on(.get, "/from", respond: .redirect(to: "/to"))
        server.on(.get, "/to", respond: .status(204))
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        let request = HttpRequest(method: .get, url: server.url("/from"))
        try RealCurl.run(request.curlCommand(configuration: configuration))
        #expect(server.requests.map(\.target) == ["/from"])
        try RealCurl.run(request.curlCommand(configuration: configuration, followsRedirects: true))
        #expect(server.requests.map(\.target) == ["/from", "/from", "/to"])
    }
}
#endif

/// Without running it.
struct CurlCommandTextTests {
    private let url = URL(string: "https://bob:geheim@example.com/a?page=2&access_token=geheim")

    /// For a shell it is a quote all the same.
    @Test func aQuoteWithACombiningMarkDoesNotEndTheQuotes() throws {
        let url = try #require(URL(string: "https://a.example/"))
        let request = HttpRequest(
            method: .post, url: url, headers: ["X-Note": "'\u{301}; touch evil; '\u{301}"],
            body: .data(Data("'\u{32B}; touch evil".utf8)))
        let command = request.curlCommand()
        #expect(command.contains(#"--header 'X-Note: '\''"# + "\u{301}; touch evil; " + #"'\''"# + "\u{301}'"))
        #expect(command.contains(#"--data-raw ''\''"# + "\u{32B}; touch evil'"))
    }

    @Test func headersThatTheConfigurationDeclaresAsSecretsAreMasked() throws {
        let url = try #require(URL(string: "http://example.com/"))
        let request = HttpRequest(method: .get, url: url, headers: ["X-Tenant": "geheim"])
        var configuration = CurlRequestSender.Configuration()
        configuration.redirects.sensitiveHeaders.insert("X-Tenant")
        #expect(request.curlCommand(configuration: configuration).contains("--header 'X-Tenant: ***'"))
        let shown = request.curlCommand(redaction: .none, configuration: configuration)
        #expect(shown.contains("--header 'X-Tenant: geheim'"))
    }

    @Test(arguments: [
        ("/a/../b", true), ("/a/%2e%2E/b", true), ("/.well-known", true), ("/a%2eb", false), ("/a.b?c", false),
    ])
    func curlKeepsDotSegments(path: String, isKept: Bool) throws {
        let url = try #require(URL(string: "http://example.com" + path))
        let command = HttpRequest(method: .get, url: url).curlCommand()
        #expect(command.contains("--path-as-is") == isKept)
    }

    @Test func aSimpleRequestIsAShortCommand() throws {
        let url = try #require(URL(string: "http://example.com/users?page=2"))
        let request = HttpRequest(method: .get, url: url, headers: ["Accept-Language": "en"])
        #expect(
            request.curlCommand() == """
                curl --globoff \\
                    --url 'http://example.com/users?page=2' \\
                    --header 'Accept-Language: en' \\
                    --header 'User-Agent: NetChainKit' \\
                    --compressed
                """)
    }

    @Test(arguments: [
        ("application/json", #"{"user": {"name": "bob", "password": "geheim"}, "page": 2}"#),
        ("application/x-www-form-urlencoded", "name=bob&password=geheim&code=geheim"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ngeheim\r\n--b--\r\n"
        ),
        ("", #"{"password": "geheim"}"#),
    ])
    func secretsAreMasked(contentType: String, body: String) throws {
        for bytes in [Data(body.utf8), Data(body.utf8) + [0xFF, 0x00]] {
            var request = HttpRequest(method: .post, url: try #require(url), body: .data(bytes))
            request.headers = ["Authorization": "Bearer geheim", "Cookie": "a=geheim", "X-Api-Key": "geheim"]
            if !contentType.isEmpty { request.headers["Content-Type"] = contentType }
            #expect(!request.curlCommand().contains("geheim"), "\(request.curlCommand())")
            #expect(request.curlCommand().contains("page=2"))
            #expect(request.curlCommand(redaction: .none).components(separatedBy: "geheim").count >= 7)
        }
    }

    @Test(arguments: [
        "application/x-www-form-urlencoded ; charset=utf-8", "Application/X-WWW-Form-Urlencoded\t",
        "application/x-www-form-urlencoded;\u{301}",
    ])
    func aFormIsMaskedWhateverFollowsItsMediaType(contentType: String) throws {
        let request = HttpRequest(
            method: .post, url: try #require(url), headers: ["Content-Type": contentType],
            body: .data(Data("code=SplxlOBeZQQY&grant_type=authorization_code".utf8)))
        #expect(!request.curlCommand().contains("SplxlOBeZQQY"), "\(request.curlCommand())")
    }

    @Test func theSecretFieldOfAFormIsMaskedThoughItsPartsAreApart() throws {
        let body = try MultipartEncoder(boundary: "b").encode([
            MultipartPart(name: "title", content: .data(Data("shown".utf8))),
            MultipartPart(name: "password", content: .data(Data("geheim".utf8))),
        ])
        let request = HttpRequest(
            method: .post, url: try #require(url), headers: ["Content-Type": "multipart/form-data; boundary=b"],
            body: body)
        #expect(request.curlCommand().contains("shown"))
        #expect(!request.curlCommand().contains("geheim"))
    }

    @Test func otherSettingsOfTheSenderBecomeArguments() throws {
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .url(try #require(URL(string: "http://bob:geheim@proxy:3128")))
        configuration.tls.verifiesServer = false
        configuration.tls.proxy.verifiesServer = false
        configuration.tls.proxy.trustRoots = .file(URL(fileURLWithPath: "/etc/our proxy's ca.pem"))
        configuration.tls.trustRoots = .file(URL(fileURLWithPath: "/etc/our ca.pem"))
        configuration.tls.clientCertificate = .init(
            certificate: URL(fileURLWithPath: "/c.pem"), key: URL(fileURLWithPath: "/k.pem"), password: "geheim")
        configuration.httpVersion = .http2PriorKnowledge
        let command = HttpRequest(method: .get, url: try #require(url)).curlCommand(configuration: configuration)
        for part in [
            "--proxy 'http://***@proxy:3128'", "--insecure", "--cacert '/etc/our ca.pem'", "--cert '/c.pem'",
            "--key '/k.pem'", "--http2-prior-knowledge", "--proxy-insecure",
            #"--proxy-cacert '/etc/our proxy'\''s ca.pem'"#,
        ] {
            #expect(command.contains(part))
        }
        #expect(!command.contains("geheim"))
    }

    @Test func curlReadsAColonAndABackslashInThePathOfACertificateAsTheyAre() throws {
        var configuration = CurlRequestSender.Configuration()
        let folder = #"/a:b\c\:d\"# + ":\u{301}"
        configuration.tls.clientCertificate = .init(
            certificate: URL(fileURLWithPath: folder + "/c.pem"), key: URL(fileURLWithPath: folder + "/k.pem"))
        let command = HttpRequest(method: .get, url: try #require(url)).curlCommand(configuration: configuration)
        #expect(command.contains(#"--cert '/a\:b\\c\\\:d\\\:"# + "\u{301}/c.pem'"))
        #expect(command.contains("--key '\(folder)/k.pem'"))
    }

    @Test func aProxyAndPinsHoldForTheCommandToo() throws {
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .url(try #require(URL(string: "http://proxy:3128")))
        configuration.tls.pins = ["a=", "b="]
        configuration.tls.minimumVersion = .tls13
        let command = HttpRequest(method: .get, url: try #require(url)).curlCommand(configuration: configuration)
        // The environment's exceptions are none of this proxy's.
        for part in ["--noproxy ''", "--pinnedpubkey 'sha256//a=;sha256//b='", "--tlsv1.3"] {
            #expect(command.contains(part))
        }
    }

    @Test func credentialsForAProxyAreAnArgumentOfTheirOwn() throws {
        let request = HttpRequest(
            method: .get, url: try #require(url), headers: ["proxy-authorization": "Basic geheim", "X-A": "1"])
        #expect(request.curlCommand().contains("--proxy-header 'proxy-authorization: ***'"))
        let command = request.curlCommand(redaction: .none)
        #expect(command.contains("--proxy-header 'proxy-authorization: Basic geheim'"))
        #expect(!command.contains("--header 'proxy-") && command.contains("--header 'X-A: 1'"))
    }

    @Test func aUnixDomainSocketHoldsForTheCommandToo() throws {
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .url(try #require(URL(string: "http://proxy:3128")))
        var request = HttpRequest(method: .get, url: try #require(url))
        request.options.unixSocket = "/run/it's.sock"
        let command = request.curlCommand(configuration: configuration)
        #expect(command.contains(#"--unix-socket '/run/it'\''s.sock' "#))
        #expect(command.contains("--noproxy '*'"))
        #expect(!command.contains("--proxy"))
        request.options.unixSocket = "run/a.sock"
        let reason = #""run/a.sock" is no path of a Unix domain socket: it must be absolute"#
        #expect(request.curlCommand() == "# This can't be sent: \(reason)")
    }

    @Test(arguments: [
        ("GET\nX", "http://a.example/", "X-A", "1"), ("GET", "file:///etc/passwd", "X-A", "1"),
        ("GET", "http://a.example/", "X-A", "1\nX-B: 2"), ("GET", "http://a.example/", "@/etc/passwd", "1"),
    ])
    func whatNoSenderSendsIsNoCommand(method: String, url: String, name: String, value: String) throws {
        let request = HttpRequest(
            method: HttpMethod(rawValue: method), url: try #require(URL(string: url)),
            headers: [name: value])
        let command = request.curlCommand(redaction: .none)
        #expect(command.hasPrefix("# This can't be sent: "))
        #expect(!command.contains("\n"))
    }

    @Test(arguments: ["a\r\nX-B: 2", "a\nb", "a\rb", "a\0b"])
    func aUserAgentThatNoSenderSendsIsNoCommand(userAgent: String) throws {
        var configuration = CurlRequestSender.Configuration()
        configuration.userAgent = userAgent
        let command = HttpRequest(method: .get, url: try #require(url)).curlCommand(configuration: configuration)
        #expect(
            command
                == "# This can't be sent: userAgent of the sender's configuration: must not hold a line break or a NUL"
        )
    }
}

/// The curl of this machine.
enum RealCurl {
    static let isThere = (try? run("command -v curl")) != nil

    struct Failed: Error {
        /// What the command ended with, as a shell tells it: 128 and the number of a signal's for one that was killed. -1
        /// where no shell could be begun.
        let status: Int32
        let command: String
    }

    /// Runs a command line in bash, without the user's own settings for curl.
    static func run(_ command: String) throws {
        // Not by Foundation's Process: the tests ended once inside its run(), by a read past the end of mapped memory
        // (Swift 6.3, with all other tests in progress). Standard input holds the script, so that its length has no limit.
        let environment = "PATH=/usr/bin:/bin:/usr/local/bin CURL_HOME=/nonexistent HOME=/nonexistent"
        let shell = "exec env -i \(environment) /bin/bash -c 'eval \"$(cat)\" </dev/null' >/dev/null 2>&1"
        guard let input = popen(shell, "w") else { throw Failed(status: -1, command: shell) }
        let written = Data(command.utf8).withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, input) }
        let status = pclose(input)
        guard status == 0, written == command.utf8.count else {
            // As `wait` gives it: the signal in the lower seven bits, else the status above them.
            let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            throw Failed(status: status == -1 ? -1 : code, command: String(command.prefix(2000)))
        }
    }
}

/// A folder that is removed with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("netchain-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func file(_ name: String, _ content: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

struct StreamedCurlCommandTests {
    @Test func aPartOfAFileComesThroughAPipe() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a b", Data("12345".utf8))
        let url = try #require(URL(string: "http://127.0.0.1/a"))
        let request = HttpRequest(method: .put, url: url, body: try .file(file, range: 1..<4))
        let command = request.curlCommand()
        #expect(command.hasPrefix("tail -c +2 '\(file.path)' | head -c 3 |\n    curl"))
        #expect(command.contains("--data-binary @-"))
    }

    @Test func aStreamComesFromStandardInput() throws {
        let url = try #require(URL(string: "http://127.0.0.1/a"))
        let pieces = AsyncStream<Data> { nil }
        let request = HttpRequest(method: .put, url: url, body: .stream(pieces))
        #expect(request.curlCommand().contains("--data-binary @-"))
    }
}
