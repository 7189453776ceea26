import AsyncHTTPClient
import ClientSupport
import Foundation
import Models
import NIOCore
import NIOFoundationCompat
import NIOSSL
import Synchronization

// async-http-client with Foundation's JSONDecoder, or with this library's for mode=json-decoder. Its limit of connections
// is raised to what is asked for.

struct Failed: Error {}

let arguments = ClientArguments()
var configuration = HTTPClient.Configuration()
configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(8, arguments.concurrency)
configuration.httpVersion = arguments.usesHttp2 ? .automatic : .http1Only
if let authorities = arguments.authorities {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(authorities)
    configuration.tlsConfiguration = tls
}
let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
var prototype = HTTPClientRequest(url: arguments.url.absoluteString)
// What libcurl asks for by itself.
prototype.headers.add(name: "accept-encoding", value: "deflate, gzip, br, zstd")
prototype.headers.add(name: "user-agent", value: "NetChainKit")
if arguments.work == .upload {
    prototype.method = .PUT
    prototype.body = .bytes(ByteBuffer(repeating: 0x78, count: arguments.size))
}
let requests = arguments.urls.map { url in
    var request = prototype
    request.url = url.absoluteString
    return request
}
let turn = Atomic(0)
let usesJsonDecoder = arguments.mode == "json-decoder"

@Sendable func decode(_ model: (some Decodable).Type, from body: ByteBuffer) throws {
    if usesJsonDecoder {
        _ = try JsonDecoder().decode(model, from: Data(buffer: body, byteTransferStrategy: .noCopy))
    } else {
        _ = try JSONDecoder().decode(model, from: body)
    }
}

wait {
    try await runTasks(arguments) {
        let request = requests[turn.add(1, ordering: .relaxed).oldValue % requests.count]
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status.code / 100 == 2 else { throw Failed() }
        if arguments.work == .file {
            let descriptor = open(arguments.file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            defer { close(descriptor) }
            for try await part in response.body {
                try part.withUnsafeReadableBytes { bytes in
                    guard write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else { throw Failed() }
                }
            }
            return
        }
        let body = try await response.body.collect(upTo: 1 << 29)
        guard arguments.work == .get else { return }
        switch arguments.model {
        case .user: try decode(User.self, from: body)
        case .users: try decode([User].self, from: body)
        }
    }
}
exit(0)
