import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CurlRequestSender.Configuration {
    /// The defaults without a proxy, which the environment may name and which doesn't know this machine's loopback.
    static func loopback(_ change: (inout Self) -> Void = { _ in }) -> Self {
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        // A machine that runs all tests at once may take ten seconds for a handshake.
        configuration.connectTimeout = .seconds(30)
        change(&configuration)
        return configuration
    }

    /// The same, trusting the authority of the tests' servers.
    static func tls(_ change: (inout Self) -> Void = { _ in }) throws -> Self {
        let authorities = try ServerVariable.authorities.file
        return loopback { configuration in
            configuration.tls.trustRoots = .file(authorities)
            change(&configuration)
        }
    }
}

/// A builder for a request to one of the servers; a sender of its own unless one is given.
func request(
    _ method: HttpMethod = .get, _ server: ServerVariable, _ path: String,
    with sender: CurlRequestSender? = nil
) throws -> UrlChainsBuilder<URL> {
    UrlChainsBuilder<URL>()
        .route(method, try server.url + path)
        .sender(try sender ?? CurlRequestSender(configuration: .loopback()))
        .log(to: .silent)
}

/// A builder for a GET.
func request(
    _ server: ServerVariable, _ path: String, with sender: CurlRequestSender? = nil
) throws -> UrlChainsBuilder<URL> {
    try request(.get, server, path, with: sender)
}

/// A request for a sender, without a chain around it.
func rawRequest(
    _ method: HttpMethod, _ server: ServerVariable, _ path: String, body: RequestBody = .empty
) throws -> HttpRequest {
    HttpRequest(method: method, url: try server.url + path, body: body)
}

/// A GET for a sender, without a chain around it.
func rawRequest(_ server: ServerVariable, _ path: String) throws -> HttpRequest {
    try rawRequest(.get, server, path)
}

/// The file that every server of the tests offers as /blob.bin: byte number i is i % 251.
let blob: Data = {
    let block = Data(0..<251)
    var bytes = Data()
    while bytes.count < 5 * 1024 * 1024 { bytes.append(block) }
    return bytes.prefix(5 * 1024 * 1024)
}()

/// A file of the system's temporary folder that is removed with this object.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ name: String, _ content: Data) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "netchain-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: name)
        try content.write(to: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }
}

extension RequestSender {
    /// Sends as a default chain does, which sends again what was lost with its connection.
    var withRetryNode: Node<HttpRequest, HttpResponse> {
        RetryNode(next: ClosureNode { try await self.send($0) })
    }
}
