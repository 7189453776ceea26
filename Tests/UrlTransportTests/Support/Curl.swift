#if os(Linux)
import Dispatch
import Glibc
import NetChainTestKit
import NodeCore
import ResponseProcessing
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A sender that no proxy of the environment comes between.
func makeSender(_ change: (inout CurlRequestSender.Configuration) -> Void = { _ in }) throws -> CurlRequestSender {
    var configuration = CurlRequestSender.Configuration()
    configuration.proxy = .none
    // Other tests may hold up a response for a minute, as under a sanitizer.
    configuration.timeouts.stall = .seconds(600)
    change(&configuration)
    return try CurlRequestSender(configuration: configuration)
}

extension RequestSender {
    /// Sends what the arguments say.
    func send(
        _ method: HttpMethod, _ url: URL, headers: HttpHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = RequestOptions()
    ) -> Observer<HttpResponse> {
        observed(HttpRequest(method: method, url: url, headers: headers, body: body, options: options))
    }

    /// Sends as a default chain does, which sends again what was lost with its connection.
    func sendWithRetryNode(
        _ method: HttpMethod, _ url: URL, headers: HttpHeaders = [:], body: RequestBody = .empty,
        policy: RetryPolicy? = nil
    ) async throws -> HttpResponse {
        try await RetryNode(next: ClosureNode { try await self.send($0) }, policy: policy).execute(
            HttpRequest(method: method, url: url, headers: headers, body: body))
    }

    /// Sends and waits for the answer's text.
    func text(
        _ method: HttpMethod, _ url: URL, headers: HttpHeaders = [:], body: RequestBody = .empty
    ) async throws -> String {
        try await send(method, url, headers: headers, body: body).value.text
    }

    /// Sends a request full of secrets that must fail with this code, and holds the error to its contract: method, URL
    /// and attempt are those of the request, and no text of it holds a secret.
    @discardableResult
    func expectFailure(
        _ code: TransportError.Code, _ method: HttpMethod, _ url: URL, body: RequestBody = .empty,
        attempt: Int = 2, options: RequestOptions = RequestOptions(), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TransportError {
        let separator = url.absoluteString.contains("?") ? "&" : "?"
        let url = try #require(URL(string: "\(url.absoluteString)\(separator)access_token=hunter2"))
        let request = HttpRequest(
            method: method, url: url, headers: ["Authorization": "Bearer hunter2", "X-Api-Key": "hunter2"], body: body,
            attempt: 2, options: options)
        let outcome = await observed(request).end()
        let error = try #require(
            outcome.error as? TransportError, "\(outcome)", sourceLocation: sourceLocation)
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.method == method, sourceLocation: sourceLocation)
        #expect(
            error.url == url.absoluteString.replacing("hunter2", with: "***"), sourceLocation: sourceLocation)
        #expect(error.attempt == attempt, sourceLocation: sourceLocation)
        let texts = ["\(error)", error.reason, "\(error.cause as Any)"].joined()
        #expect(!texts.contains("hunter2"), "\(texts)", sourceLocation: sourceLocation)
        #expect(error.description.hasPrefix("\(method) "), sourceLocation: sourceLocation)
        #expect(error.description.hasSuffix("[\(code)]"), sourceLocation: sourceLocation)
        return error
    }
}

extension RequestSender {
    /// The same for a GET.
    @discardableResult
    func expectFailure(
        _ code: TransportError.Code, _ url: URL, options: RequestOptions = RequestOptions(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TransportError {
        try await expectFailure(code, .get, url, options: options, sourceLocation: sourceLocation)
    }
}

extension HttpResponse {
    var text: String { String(decoding: data, as: UTF8.self) }
}

/// A listening socket on a free port of 127.0.0.1, and the port.
func listenOnLoopback(backlog: Int32) -> (descriptor: Int32, port: Int) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            _ = bind(listener, address, length)
            listen(listener, backlog)
            getsockname(listener, address, &length)
        }
    }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

/// A listening socket of 127.0.0.1 that closes each connection as soon as it is made.
final class ClosingListener: Sendable {
    let url: URL
    private let descriptor: Int32
    private let count = Atomic(0)
    private let isStopped = DispatchSemaphore(value: 0)

    init() throws {
        let (listener, port) = listenOnLoopback(backlog: 8)
        descriptor = listener
        url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
        DispatchQueue(label: "ClosingListener").async { [self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                count.add(1, ordering: .relaxed)
                close(connection)
            }
            isStopped.signal()
        }
    }

    /// Stops listening. Returns how many connections were made.
    func stop() -> Int {
        shutdown(descriptor, Int32(SHUT_RDWR))
        isStopped.wait()
        close(descriptor)
        return count.load(ordering: .relaxed)
    }
}

/// A listening socket of 127.0.0.1 that never takes a connection, its line of waiting connections being full: a connect
/// to it hangs.
final class FullListener: Sendable {
    let port: Int
    let url: URL
    private let descriptors: [Int32]
    /// Those of the clients that fill it, as the system's table writes them.
    private let ownPorts: [String]

    /// - Parameters:
    ///   - host: the last byte of 127.0.0.x.
    ///   - port: 0 for a free one.
    init(host: UInt32 = 1, port: Int = 0) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0000 + host).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var clients: [Int32] = []
        var ports: [String] = []
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                listen(listener, 0)
                getsockname(listener, address, &length)
                for _ in 0..<4 {
                    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                    connect(client, address, length)
                    clients.append(client)
                    ports.append(Self.localPort(of: client))
                }
            }
        }
        descriptors = [listener] + clients
        ownPorts = ports
        self.port = Int(UInt16(bigEndian: address.sin_port))
        url = try #require(URL(string: "http://127.0.0.\(host):\(self.port)/"))
    }

    deinit {
        shutdown(descriptors[0], Int32(SHUT_RDWR))
        for descriptor in descriptors { close(descriptor) }
    }

    /// Takes connections from now on, and answers 200 to whatever comes over them.
    func serve() {
        let listener = descriptors[0]
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) == 1 { Self.serve(accept(listener, nil, nil)) }
        DispatchQueue.global().async {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Self.serve(client)
            }
        }
    }

    private static func serve(_ client: Int32) {
        DispatchQueue.global().async {
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
            var buffer = [UInt8](repeating: 0, count: 4096)
            while read(client, &buffer, buffer.count) > 0 {
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
            close(client)
        }
    }

    private static func localPort(of descriptor: Int32) -> String {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        let digits = String(UInt16(bigEndian: address.sin_port), radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// How many connects of others to the port wait for an answer (state SYN_SENT in the system's table).
    var connecting: Int {
        // The remote address, then the state. The table is long, so it's not taken apart.
        let digits = String(port, radix: 16, uppercase: true)
        let wanted = "0100007F:\(String(repeating: "0", count: 4 - digits.count))\(digits) 02 "
        let table = systemFile("/proc/net/tcp").map { CChar(bitPattern: $0) } + [0]
        return table.withUnsafeBufferPointer { table in
            var count = 0
            var rest = table.baseAddress
            while let start = rest, let hit = strstr(start, wanted) {
                // The local port stands before it.
                let local = String(
                    decoding: UnsafeRawBufferPointer(start: UnsafePointer(hit) - 5, count: 4), as: UTF8.self)
                if !ownPorts.contains(local) { count += 1 }
                rest = UnsafePointer(hit + 1)
            }
            return count
        }
    }
}

/// A server that throws away one request with a body of this length, faster than LoopbackServer can, and answers 200.
final class Sink: Sendable {
    let url: URL
    private let count = Atomic(0)

    var received: Int { count.load(ordering: .relaxed) }

    init(bodyLength: Int) throws {
        let (listener, port) = listenOnLoopback(backlog: 1)
        url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        DispatchQueue.global().async { [self] in
            let client = accept(listener, nil, nil)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var expected = bodyLength
            while received < expected {
                let new = read(client, &buffer, buffer.count)
                guard new > 0 else { break }
                // The head comes in one piece, before everything else.
                if received == 0, let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) { expected += end.upperBound }
                count.add(new, ordering: .relaxed)
            }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = write(client, answer, answer.count)
            close(client)
            close(listener)
        }
    }
}

/// The bytes of a file of the system's, whose size nobody knows before it is read.
func systemFile(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return bytes }
        bytes += buffer[..<count]
    }
}

/// How much of the system's memory this process has.
func residentKilobytes() -> Int {
    let text = String(decoding: systemFile("/proc/self/status"), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
}

/// Holds the process to having grown by less than `limit` KiB. Address Sanitizer keeps what was freed for a while, so
/// that there is nothing to see under it.
func expectGrowth(since before: Int, below limit: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    let growth = residentKilobytes() - before
    let isWatched = dlsym(nil, "__asan_init") != nil
    #expect(growth < limit || isWatched, "grew by \(growth) KiB", sourceLocation: sourceLocation)
}
#endif
