#if os(Linux) && compiler(>=6.2)  // Exit tests.
import Glibc
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A sender beside other processes, and without a network.
struct CurlProcessTests {
    @Test func aChildProcessKeepsNoConnectionOpen() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on(.get, "/x", respond: .text("x"))
            let sender = try makeSender()
            #expect(try await sender.text(.get, server.url("/x")) == "x")
            #expect(server.counts.connectionsOpen == 1)
            let child = try spawn("/bin/sleep", "600")
            // The child would hold the other end of the connection.
            sender.close()
            try await server.waitForConnections(open: 0)
            #expect(kill(child, SIGKILL) == 0)
            #expect(try end(of: child) == SIGKILL)
        }
    }

    @Test func aListenerMayEndTheProcess() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            let server = try LoopbackServer()
            server.on(.get, "/x", respond: .text("x"))
            let sender = try makeSender()
            let others = try makeSender()
            sendOnAndOn(others, server.url("/x"))
            for _ in 0..<10 { #expect(try await others.text(.get, server.url("/x")) == "x") }
            sender.send(.get, server.url("/x")).onSettled { _ in
                // A hang ends by this signal.
                alarm(20)
                exit(7)
            }
            // Until then. A task that awaited the answer would be left it, and the listener called there.
            try await Task.sleep(for: .seconds(30))
        }
    }

    /// A thread in a network of its own, in which not even the loopback is up, and a sender whose thread comes from it.
    @Test(.enabled(if: mayLeaveTheNetwork(), "needs the right to make a network namespace, as root has"))
    func withoutANetworkThereIsNoInternetConnection() async throws {
        await #expect(processExitsWith: .success) {
            try leaveTheNetwork()
            let sender = try makeSender { $0.connectTimeout = .seconds(5) }
            let mapper = TechnicalErrorMapperNode(next: ClosureNode { sender.observed($0) })
            for text in ["http://192.0.2.1/", "http://[2001:db8::1]/", "http://nobody.invalid/"] {
                let url = try #require(URL(string: text))
                let error = try await sender.expectFailure(.noNetwork, url)
                #expect(error.reason.hasPrefix("there is no network"))
                let outcome = await mapper.process(HttpRequest(method: .post, url: url)).end()
                guard case .noInternetConnection(let cause)? = outcome.error as? TechnicalError else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(cause.code == .noNetwork)
            }
        }
    }
}

/// Sends a request, and another one with each answer.
private func sendOnAndOn(_ sender: CurlRequestSender, _ url: URL) {
    sender.send(.get, url).onCompleted { _ in sendOnAndOn(sender, url) }
}

/// `unshare(CLONE_NEWNET)` for the calling thread; Glibc's headers show it to programs with GNU's extensions only.
private func leaveTheNetwork() throws {
    typealias Unshare = @convention(c) (Int32) -> Int32
    let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
    try #require(unshare(0x4000_0000) == 0, "errno \(errno)")
}

private func mayLeaveTheNetwork() -> Bool {
    guard let child = try? spawn("/usr/bin/unshare", "--net", "/bin/true") else { return false }
    return (try? end(of: child)) == 0
}

private func spawn(_ path: String, _ arguments: String...) throws -> pid_t {
    var child = pid_t()
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer {
        for word in words { free(word) }
    }
    try #require(posix_spawn(&child, path, nil, nil, words, nil) == 0)
    return child
}

/// What `waitpid` says of a child's end: 0 for a success, the signal that ended it.
private func end(of child: pid_t) throws -> Int32 {
    var status: Int32 = 0
    try #require(waitpid(child, &status, 0) == child)
    return status
}
#endif
