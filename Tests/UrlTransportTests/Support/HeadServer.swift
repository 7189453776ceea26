#if os(Linux)
import Dispatch
import Glibc
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server that responds to the head of each request and expects no body to follow: the next head may come at once.
/// It keeps its connections.
final class HeadServer: Sendable {
    let url: URL
    private let listener: Int32
    private let received = Mutex<[String]>([])

    /// The heads of all requests, and whatever came in place of one.
    var heads: [String] { received.withLock { $0 } }

    /// - Parameter responses: for the first heads; the last one is for all later ones too.
    init(_ responses: String...) throws {
        let (listener, port) = listenOnLoopback(backlog: 16)
        self.listener = listener
        url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        // Queues of their own, unlike the global ones, get threads that may block.
        DispatchQueue(label: "head-server").async { [weak self] in
            // Here and not by `deinit`: another server's socket could have the descriptor before the next `accept`.
            defer { close(listener) }
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let take = self?.take else {
                    close(client)
                    return
                }
                DispatchQueue(label: "head-server.\(client)").async {
                    Self.serve(client, responses, take)
                    close(client)
                }
            }
        }
    }

    deinit {
        // Wakes the thread that accepts.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Records a head. Returns its number, from 0.
    private var take: @Sendable (String) -> Int? {
        { [weak self] head in
            self?.received.withLock { received in
                received.append(head)
                return received.count - 1
            }
        }
    }

    private static func serve(_ client: Int32, _ responses: [String], _ take: (String) -> Int?) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(client, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer[..<count]
            while let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                guard let number = take(String(decoding: bytes[..<end.lowerBound], as: UTF8.self)) else { return }
                bytes.removeSubrange(..<end.upperBound)
                let response = Array(responses[min(number, responses.count - 1)].utf8)
                _ = send(client, response, response.count, Int32(MSG_NOSIGNAL))
            }
        }
    }
}
#endif
