import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LoopbackServer {
    /// A request to this server.
    func request(
        _ method: HttpMethod = .get, _ path: String = "/", headers: HttpHeaders = [:],
        body: RequestBody = .empty, options: RequestOptions = RequestOptions()
    ) -> HttpRequest {
        HttpRequest(method: method, url: url(path), headers: headers, body: body, options: options)
    }
}

extension RequestSender {
    /// The error that the request fails with.
    func error(_ request: HttpRequest) async -> TransportError? {
        await thrown(TransportError.self) { try await send(request) }
    }

    /// The code of the error that the request fails with.
    func failure(_ request: HttpRequest) async -> TransportError.Code? {
        await error(request)?.code
    }
}

extension HttpResponse {
    /// The body's text.
    var text: String { String(decoding: data, as: UTF8.self) }
}

/// Keeps what it is told, from any thread.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    var values: [Value] {
        recorded.withLock { $0 }
    }

    func append(_ value: Value) {
        recorded.withLock { $0.append(value) }
    }
}

/// A file of the system's temporary folder that is removed with this object.
final class TemporaryFile: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "netchain-\(UInt64.random(in: 0 ... .max))")

    init(_ content: Data) throws {
        try content.write(to: url)
    }

    deinit {
        remove()
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
