#if os(Linux)
import CNetChainCurl
import HttpMessages
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of easy handles, without an event loop: a handle that was used has those of a new one.
struct HandleOptionsTests {
    typealias Configuration = CurlRequestSender.Configuration

    struct Settings: CustomTestStringConvertible {
        let testDescription: String
        var scheme = "https"
        var change: @Sendable (inout Configuration) -> Void = { _ in }
    }

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        var url = "//a.test/x"
        var headers: HttpHeaders = [:]
        var change: @Sendable (inout HttpRequest) -> Void = { _ in }
        /// What happens before.
        var event: @Sendable (LooseLoop, Pool.Part) -> Void = { _, _ in }
    }

    static let settings: [Settings] = [
        Settings(testDescription: "https"),
        Settings(testDescription: "http", scheme: "http"),
        Settings(testDescription: "HTTP/1") { $0.httpVersion = .http1 },
        Settings(testDescription: "HTTP/2, prior knowledge") { $0.httpVersion = .http2PriorKnowledge },
        Settings(testDescription: "TLS") {
            $0.tls.verifiesServer = false
            $0.tls.pins = ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        },
        Settings(testDescription: "others") {
            $0.userAgent = nil
            $0.compression = false
            $0.timeouts.stall = nil
            $0.timeouts.request = .seconds(1 << 40)
            $0.connections.lifetime = .seconds(60)
            $0.connections.maxIdle = 0
            $0.addresses.family = .ipv4
            $0.addresses.interface = "127.0.0.1"
        },
    ]

    static let usual: [Case] = [
        Case(testDescription: "plain"),
        Case(testDescription: "query", url: "//a.test/x?a=1&b=2"),
        Case(testDescription: "query that libcurl parses", url: "//a.test/x?a=%2F"),
        Case(testDescription: "dot segments", url: "//a.test/x/../y/./z"),
        Case(testDescription: "another origin", url: "//b.test:444/" + String(repeating: "z", count: 300)),
        Case(testDescription: "headers", headers: ["X-A": "1", "X-B": "", "Cookie": "a=1", "Range": "bytes=0-1"]),
        Case(testDescription: "replaced headers", headers: ["User-Agent": "u", "Accept-Encoding": "x", "Accept": "a"]),
        Case(testDescription: "Latin-1", headers: ["X-A": "\u{E9}"]),
        Case(testDescription: "credentials", headers: ["Authorization": "Bearer 1", "Proxy-Authorization": "x"]),
        // So long that libcurl's limit is the same however late it is set.
        Case(testDescription: "timeout") { $0.options.timeout = .seconds(1 << 40) },
        Case(testDescription: "stall in seconds") { $0.options.stallTimeout = .seconds(7) },
        Case(testDescription: "stall in milliseconds") { $0.options.stallTimeout = .milliseconds(70) },
        Case(testDescription: "no stall") { $0.options.stallTimeout = .zero },
        Case(testDescription: "doubted addresses", event: { $1.pool.doubtAddresses() }),
        Case(testDescription: "server of HTTP/1", event: { $1.updateAdmission { $0.didReceive(isHttp1: true) } }),
        Case(testDescription: "other network", event: { loop, _ in loop.table.networkDidChange() }),
    ]

    @Test(arguments: settings)
    func aUsedHandleHasTheOptionsOfANewOne(_ settings: Settings) async throws {
        try await OptionRecorder.recording {
            for first in Self.usual {
                for second in Self.usual {
                    let loop = try LooseLoop(settings)
                    let used = try loop.hop(first)
                    #expect(used.kind.isUsual)
                    loop.spares.add(used.easy, used.kind, lastUse: .now)
                    let next = try loop.hop(second)
                    try #require(next.easy === used.easy)
                    let new = try loop.hop(second)
                    let options = OptionRecorder.options(of: new.easy.raw)
                    #expect(options.count > 25)
                    #expect(
                        OptionRecorder.options(of: next.easy.raw) == options,
                        "\(first.testDescription), then \(second.testDescription)")
                    #expect(next.easy.errorMessage.isEmpty)
                }
            }
        }
    }

    /// Each needs other options. What is not in the list above must be here.
    @Test(arguments: unusual)
    func anUnusualHopHasAHandleOfItsOwn(_ unusual: Case) throws {
        let loop = try LooseLoop(Settings(testDescription: "", scheme: "http"))
        let used = try loop.hop(Self.usual[0])
        loop.spares.add(used.easy, used.kind, lastUse: .now)
        let hop = try loop.hop(unusual)
        #expect(!hop.kind.isUsual)
        #expect(hop.easy.hops == 1)
    }

    static let unusual: [Case] = [
        Case(testDescription: "HEAD") { $0.method = .head },
        Case(testDescription: "other method") { $0.method = "PURGE" },
        Case(testDescription: "POST without a body") { $0.method = .post },
        Case(testDescription: "body") { $0.body = .data(Data("x".utf8)) },
        Case(testDescription: "progress") { $0.options.onProgress = { _ in } },
        Case(testDescription: "file") { $0.options.destination = .file(URL(fileURLWithPath: "/dev/null")) },
        Case(testDescription: "stream") { $0.options.destination = .stream },
        Case(testDescription: "Unix socket") { $0.options.unixSocket = "/tmp/x" },
        Case(testDescription: "recorder") { $0.options.hopLog = HopLog() },
        Case(testDescription: "new connection") { $0.options.needsNewConnection = true },
        Case(testDescription: "host", headers: ["host": "b.test"]),
        Case(testDescription: "user", url: "//bob:pw@a.test/"),
    ]

    static let unusualSettings: [Settings] = [
        Settings(testDescription: "cookies") { $0.cookies = .memory },
        Settings(testDescription: "proxy") { $0.proxy = .url(URL(fileURLWithPath: "/")) },
        Settings(testDescription: "certificate") {
            let file = URL(fileURLWithPath: "/dev/null")
            $0.tls.clientCertificate = Configuration.Tls.ClientCertificate(certificate: file, key: file)
        },
        Settings(testDescription: "fixed addresses") { $0.addresses.fixed = ["a.test:443": ["127.0.0.1"]] },
    ]

    @Test(arguments: unusualSettings)
    func noHopIsUsualWithSuchASetting(_ settings: Settings) throws {
        let hop = try LooseLoop(settings).hop(Self.usual[0])
        #expect(!hop.kind.isUsual)
    }

    @Test func anOlderLibcurlHasNoUsualHops() throws {
        let hop = try LooseLoop(Self.settings[0], canReuseHandles: false).hop(Self.usual[0])
        #expect(!hop.kind.isUsual)
    }
}

/// What hops of an event loop need, without its thread and without libcurl's events.
final class LooseLoop {
    var spares = SpareHandles()
    let table: ConnectionTable
    private let wakeUp: WakeUp
    private let pools = Pools(requestsPerOrigin: 1_000, mostIdle: 1)
    private let handles: MultiHandles
    private let share: CurlShareHandle
    private let settings: CurlSettings
    private let scheme: String
    private var jar: CookieJar?
    private var urls = ParsedUrls()

    init(_ settings: HandleOptionsTests.Settings, canReuseHandles: Bool = true) throws {
        wakeUp = try #require(WakeUp())
        let sockets = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        handles = try #require(MultiHandles(sockets, pools))
        table = ConnectionTable(sockets)
        share = try #require(CurlShareHandle(withCookies: false))
        var configuration = HandleOptionsTests.Configuration()
        configuration.proxy = .none
        settings.change(&configuration)
        self.settings = CurlSettings(configuration, canReuseHandles: canReuseHandles)
        scheme = settings.scheme
    }

    deinit {
        handles.close()
    }

    /// Returns a hop whose options are set.
    func hop(_ test: HandleOptionsTests.Case) throws -> Hop {
        var request = HttpRequest(
            method: .get, url: try #require(URL(string: "\(scheme):\(test.url)")), headers: test.headers)
        test.change(&request)
        let transfer = CurlTransfer(request, settings: settings) { _ in }
        let plan = transfer.plan
        let place = handles.start(
            in: pools.pool(of: plan.origin), mayBeHttp2: plan.mayBeHttp2, shares: plan.sharesConnections, hasSlot: false
        )
        let (part, multi) = try #require(place)
        defer { part.didEnd(shares: plan.sharesConnections, hasStartedSending: false, hasFailed: false) }
        test.event(self, part)
        let hop = try #require(Hop(transfer, transfer.plan, table, part, multi, &spares))
        try hop.setUp(&urls, share, &jar)
        return hop
    }
}
#endif
