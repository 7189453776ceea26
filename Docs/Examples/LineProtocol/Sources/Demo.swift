import NodeCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct Unexpected: Error {
    let what: String
}

func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Unexpected(what: what) }
    print("✔ \(what)")
}

func failure(_ work: @Sendable () async throws -> any Sendable) async -> (any Error)? {
    do { _ = try await work() } catch { return error }
    return nil
}

/// Runs the chain against a server of its own, and fails where something else comes than should.
@main
enum Demo {
    static func main() async throws {
        let path = "/tmp/line-protocol-\(getpid()).sock"
        defer { unlink(path) }
        let server = try KeyValueServer(path: path)

        // The chain, from its end to its head.
        let lines = LineSocketNode(path: path)
        let commands = CommandNode(next: lines)
        let numbers = NumberNode(next: commands)
        print(numbers.chain)

        try expect(try await commands.execute(.set("answer", "42")) == "42", "a value is stored")
        try expect(try await numbers.execute("answer") == 42, "and comes back as a number")
        let missing = await failure { try await commands.execute(.get("nothing")) }
        try expect(missing as? KeyValueError == .noSuchKey("nothing"), "a key that isn't there is an error")
        let split = await failure { try await commands.execute(.set("a", "b\nSET c d")) }
        try expect(split as? KeyValueError == .refused("more than a line"), "a command is one line")

        // Two at once, with an operator.
        let (first, second) = try await numbers.process("answer").combine(commands.process(.get("answer"))).value
        try expect(first == 42 && second == "42", "two requests at once")

        // A cancel reaches the server.
        var events = server.waiting.makeAsyncIterator()
        let wait = Task { try await commands.execute(.wait("godot")) }
        try expect(await events.next() == "waits for godot", "a request that gets no answer")
        wait.cancel()
        try expect(await failure { try await wait.value } is CancellationError, "is canceled with its task")
        try expect(await events.next() == "nobody waits for godot", "and its connection is closed")

        // Nobody listens: the error of the system.
        let lost = await failure { try await LineSocketNode(path: path + ".lost").execute("GET answer") }
        try expect((lost as? SocketError)?.code == ENOENT, "no server, no answer: \(lost.map { "\($0)" } ?? "")")
    }
}
