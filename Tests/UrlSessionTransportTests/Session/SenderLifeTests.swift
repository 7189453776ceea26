#if os(Linux) && compiler(>=6.2)  // Exit tests.
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

/// What is counted for the whole process runs in a process of its own.
@Suite(.timeLimit(.minutes(2)))
struct SenderLifeTests {
    @Test func aHundredSendersOfUrlSessionLeaveNothingBehind() async throws {
        await #expect(processExitsWith: .success) { try await useSenders(.urlSession) }
    }

    @Test func aHundredSendersOfLibcurlLeaveNothingBehind() async throws {
        await #expect(processExitsWith: .success) { try await useSenders(.curl) }
    }
}

/// Makes and drops senders, and holds the process to having no more threads and descriptors than before.
private func useSenders(_ kind: SenderKind) async throws {
    let server = try LoopbackServer()
    server.on(.get, "/", respond: .text("ok"))
    func use(_ count: Int) async throws {
        for index in 0..<count {
            let sender = try kind.sender { $0.cookies = index.isMultiple(of: 2) ? .memory : .off }
            #expect(try await sender.observed(server.request()).value.text == "ok")
            if index.isMultiple(of: 3) { sender.close() }
        }
        try await server.waitForConnections(open: 0)
    }
    try await use(5)
    let (threads, descriptors) = (try entries("/proc/self/task"), try entries("/proc/self/fd"))
    try await use(100)
    // The system's pool of threads breathes; a thread or a descriptor left by each sender would be 100 more.
    try await eventually("the senders' threads end") { try entries("/proc/self/task") < threads + 20 }
    try await eventually("the senders' descriptors are closed") { try entries("/proc/self/fd") < descriptors + 20 }
}

/// How many entries a folder has.
private func entries(_ folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).count
}
#endif
