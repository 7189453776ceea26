#if compiler(>=6.2)  // Exit tests.
import Glibc
import NetChainKit
import Synchronization
import TestSupport
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

/// A process of its own, so that nothing else takes processor time.
@Suite(.needs(.nginxTls, .authorities))
struct WaitingTests {
    @Test func requestsThatWaitOverHttp2TakeNoProcessorTime() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            alarm(60)
            let sender = try CurlRequestSender(configuration: .tls())
            _ = try await sender.observed(rawRequest(.nginxTls, "/users/1")).value
            let answers = try (0..<3).map { _ in sender.observed(try rawRequest(.nginxTls, "/silent")) }
            // The first second may still have the work of the requests.
            for _ in 0..<5 {
                let before = processorTime()
                usleep(1_000_000)
                if processorTime() - before < .milliseconds(200) { _exit(7) }
            }
            withExtendedLifetime(answers) {}
            _exit(4)
        }
    }
}

private func processorTime() -> Duration {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
}

/// Exit tests can capture nothing.
private let responseCount = Atomic(0)

private func sendRepeatedly(_ request: HttpRequest, with sender: CurlRequestSender) {
    sender.observed(request).onCompleted { _ in
        responseCount.add(1, ordering: .relaxed)
        sendRepeatedly(request, with: sender)
    }.onError { _ in
        _exit(3)
    }
}
#endif
