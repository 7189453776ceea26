#if compiler(>=6.2)  // Exit tests.
import Glibc
import NetChainKit
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A process may exit with requests in progress. By default, OpenSSL would free at exit what the senders' threads use.
@Suite(.needs(.nginxTls, .authorities))
struct ProcessExitTests {
    /// New connections, so that the threads are in handshakes, and kept ones.
    @Test(arguments: 0..<24)
    func theProcessNeitherCrashesNorHangs(number: Int) async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            // A hang ends by this signal.
            alarm(60)
            let senders = try (0..<2).map { index in
                try CurlRequestSender(
                    configuration: .tls {
                        $0.httpVersion = .http1
                        $0.threads = 2
                        if index == 0 { $0.connections.maxIdle = 0 }
                    })
            }
            let request = try rawRequest(.nginxTls, "/users/1")
            for sender in senders {
                for _ in 0..<8 { sendRepeatedly(request, with: sender) }
            }
            while responseCount.load(ordering: .relaxed) < 100 { usleep(1_000) }
            alarm(20)
            exit(7)
        }
    }
}

/// Exit tests can capture nothing.
private let responseCount = Atomic(0)

private func sendRepeatedly(_ request: HttpRequest, with sender: CurlRequestSender) {
    sender.send(request).onCompleted { _ in
        responseCount.add(1, ordering: .relaxed)
        sendRepeatedly(request, with: sender)
    }.onError { _ in
        _exit(3)
    }
}
#endif
