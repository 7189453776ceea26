#if os(Linux)
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

/// What is counted for the whole process runs in a process of its own.
struct CurlLifetimeTests {
    @Test func aDroppedSenderFinishesWhatIsUnderWay() async throws {
        let server = try LoopbackServer()
        server.hold("/held")
        let answers = try { () throws -> [Observer<HttpResponse>] in
            let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
            return (0..<2).map { _ in sender.send(.get, server.url("/held")) }
        }()
        for (index, answer) in answers.enumerated() {
            try await server.nextRequest("/held").respond(.text("\(index)"))
            #expect(try await answer.value.text == "\(index)")
        }
        try await server.waitForConnections(open: 0)
    }

    @Test func aDroppedSenderCanStillBeCancelled() async throws {
        let server = try LoopbackServer()
        server.hold("/held")
        let answer = try { () throws in try makeSender().send(.get, server.url("/held")) }()
        let exchange = try await server.nextRequest("/held")
        answer.cancel()
        try await exchange.clientClosed()
        try await server.waitForConnections(open: 0)
    }

    @Test(arguments: [1, 3], [true, false])
    func anIdleLoopHoldsNothingOfItsRequests(count: Int, isAwaited: Bool) async throws {
        final class Captured: Sendable {}
        weak var captured: Captured?
        let server = try LoopbackServer()
        let sender = try makeSender()
        try await { () async throws in
            let object = Captured()
            captured = object
            var request = HttpRequest(method: .get, url: server.url("/x"))
            request.options.onProgress = { _ in withExtendedLifetime(object) {} }
            let answers = (0..<count).map { _ in sender.observed(request) }
            for answer in answers {
                if isAwaited {
                    _ = try await answer.value
                } else {
                    await withCheckedContinuation { done in answer.onSettled { _ in done.resume() } }
                }
            }
        }()
        await eventually("the requests are let go of") { captured == nil }
        withExtendedLifetime(sender) {}
    }

    #if compiler(>=6.2)  // Exit tests.
    @Test func anUnusedSenderEndsAtOnce() async throws {
        await #expect(processExitsWith: .success) {
            func useNone(_ count: Int) throws {
                for _ in 0..<count {
                    weak var sender: CurlRequestSender?
                    do { sender = try makeSender() }
                    #expect(sender == nil)
                }
            }
            // What libcurl and the system load once.
            try useNone(1)
            try await eventually("the first sender's thread ends") { try senderThreads() == 0 }
            let descriptors = try count("/proc/self/fd")
            try useNone(50)
            try await eventually("the senders' threads end") { try senderThreads() == 0 }
            // A few may be the runtime's own, which it opens when it first waits; one a sender would be fifty.
            try await eventually("the senders' descriptors are closed") {
                try count("/proc/self/fd") < descriptors + 10
            }
        }
    }

    @Test func twoHundredSendersLeaveNothingBehind() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on(.get, "/x", respond: .text("x"))
            @Sendable func useSenders(_ count: Int) async throws {
                for index in 0..<count {
                    let sender = try makeSender { $0.cookies = index.isMultiple(of: 2) ? .memory : .off }
                    _ = try await sender.send(.get, server.url("/x")).value
                    if index.isMultiple(of: 3) { sender.close() }
                }
                try await server.waitForConnections(open: 0)
            }
            try await expectNothingLeft(by: useSenders, 200)
        }
    }

    /// libcurl 7.88 doesn't report the close of a socket that was not connected.
    @Test func sendersWhoseConnectsTimeOutLeaveNothingBehind() async throws {
        await #expect(processExitsWith: .success) {
            let listener = try FullListener()
            @Sendable func useSenders(_ count: Int) async throws {
                for _ in 0..<count {
                    let sender = try makeSender { $0.connectTimeout = .milliseconds(20) }
                    let answers = (0..<4).map { _ in sender.send(.get, listener.url) }
                    for answer in answers {
                        #expect((await answer.end().error as? TransportError)?.code == .connectTimedOut)
                    }
                }
            }
            try await expectNothingLeft(by: useSenders, 20)
        }
    }

    @Test func sendersWithMoreConnectionsThanTheyKeepLeaveNothingBehind() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.hold("/held")
            @Sendable func useSenders(_ count: Int) async throws {
                for index in 0..<count {
                    let sender = try makeSender { $0.connections.maxIdle = 1 }
                    let answers = (0..<4).map { _ in sender.send(.get, server.url("/held")) }
                    for _ in answers { try await server.nextRequest("/held").respond(.text("")) }
                    for answer in answers { _ = try await answer.value }
                    if index.isMultiple(of: 2) { sender.close() }
                }
                try await server.waitForConnections(open: 0)
            }
            try await expectNothingLeft(by: useSenders, 20)
        }
    }

    @Test func withoutDescriptorsARequestFailsAndLaterOnesWork() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on(.get, "/x", respond: .text("x"))
            // Without a kept connection each request needs a descriptor.
            let sender = try makeSender { $0.connections.maxIdle = 0 }
            var limits = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            limits.rlim_cur = min(limits.rlim_cur, 256)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            var taken: [Int32] = []
            var failure: TransportError?
            // Other threads of the process may close descriptors meanwhile.
            for _ in 0..<100 where failure == nil {
                // An eighth is left to the rest of the process.
                while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), 0..<230 ~= descriptor {
                    taken.append(descriptor)
                }
                failure = await sender.send(.get, server.url("/x")).end().error as? TransportError
            }
            #expect(failure?.code == .cannotConnect)
            let reason = "no connection could be opened: the process has too many open files (see `ulimit -n`)"
            #expect(failure?.reason == reason)
            for descriptor in taken { close(descriptor) }
            #expect(try await sender.text(.get, server.url("/x")) == "x")
        }
    }

    @Test func writingToAConnectionThatIsGoneEndsNoProcess() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.whileReceiving(.put, "/up", .reset(afterBytes: 1))
            let sender = try makeSender()
            for _ in 0..<20 {
                let body = RequestBody.data(Data(count: 8 << 20))
                let outcome = await sender.send(.put, server.url("/up"), body: body).end()
                let code = try #require((outcome.error as? TransportError)?.code, "\(outcome)")
                #expect(code == .connectionLost)
            }
        }
    }

    @Test func aLargeUploadIsStreamedFromItsFile() async throws {
        await #expect(processExitsWith: .success) {
            let size = 100 << 20
            let folder = try TestFolder()
            let file = try folder.file("large", [])
            truncate(file.path, size)
            let server = try LoopbackServer()
            server.on(.put, "/up", respond: .status(200))
            let sender = try makeSender()
            _ = try await sender.send(.put, server.url("/up"), body: .data(Data(count: 1000))).value
            let before = try peakMemory()
            let sink = try Sink(bodyLength: size)
            let answer = sender.send(.put, sink.url, body: try .file(file))
            #expect(try await answer.value.metrics.bytesSent == Int64(size))
            #expect(sink.received > size)
            let growth = try peakMemory() - before
            #expect(growth < 16 << 20, "\(growth) bytes")
        }
    }

    @Test func theEnvironmentsProxyIsUsedUnlessTurnedOff() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer()
            proxy.on(.any, "*", respond: .text("by proxy"))
            let target = try LoopbackServer()
            target.on(.any, "/x", respond: .text("direct"))
            setenv("http_proxy", proxy.url.absoluteString, 1)
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            #expect(try await CurlRequestSender().text(.get, target.url("/x")) == "by proxy")
            #expect(proxy.requests.last?.target == target.url("/x").absoluteString)
            #expect(try await makeSender().text(.get, target.url("/x")) == "direct")
            setenv("no_proxy", "127.0.0.1", 1)
            #expect(try await CurlRequestSender().text(.get, target.url("/x")) == "direct")
            // A proxy that the configuration names is used whatever the environment says.
            let sender = try makeSender { $0.proxy = .url(proxy.url) }
            #expect(try await sender.text(.get, target.url("/x")) == "by proxy")
        }
    }
    #endif
}

/// How many entries a folder has.
private func count(_ folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).count
}

/// Expects that so many senders leave no thread and no descriptor, after the first ones.
private func expectNothingLeft(by useSenders: @Sendable (Int) async throws -> Void, _ senders: Int) async throws {
    try await useSenders(5)
    try await eventually("the first senders' threads end") { try senderThreads() == 0 }
    let descriptors = try count("/proc/self/fd")
    try await useSenders(senders)
    try await eventually("the senders' threads end") { try senderThreads() == 0 }
    try await eventually("the senders' descriptors are closed") { try count("/proc/self/fd") <= descriptors }
}

/// How many threads of this process are a sender's.
private func senderThreads() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
        systemFile("/proc/self/task/\(task)/comm") == Array("netchain-curl\n".utf8)
    }
}

/// The most bytes of memory that this process has used so far.
private func peakMemory() throws -> Int {
    let line = try #require(
        String(decoding: systemFile("/proc/self/status"), as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("VmHWM:")
        })
    return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) }) * 1024
}
#endif
