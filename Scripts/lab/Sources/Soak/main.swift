import Glibc
import NetChainKit

// soak SECONDS SEED INTERVAL: see Scripts/soak.sh. The wall clock jumps each INTERVAL milliseconds, never for 0.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard arguments.count == 3 else {
    print("Usage: Soak SECONDS SEED INTERVAL")
    exit(2)
}
let (seconds, seed, interval) = (arguments[0], arguments[1], arguments[2])
print("seed      \(seed)")
fflush(nil)

let server = try Server()
let tally = Tally(clockJumps: interval > 0)
let client = try Client(
    server: server, tally: tally, seed: seed, tokenLifetime: interval > 0 ? .seconds(60) : nil)
let clock = ClockWatch()
let start = ContinuousClock.now
let deadline = ContinuousClock.now + .seconds(seconds)

let work = Task {
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<48 {
            group.addTask {
                while ContinuousClock.now < deadline { await client.sendOne() }
            }
        }
        group.addTask {
            while ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(700))
                server.expireToken()
            }
        }
        group.addTask {
            while ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(5))
                clock.look()
            }
        }
    }
}
// A request that never ends must not keep this from ending.
let watch = Task {
    try await Task.sleep(until: deadline + .seconds(90), clock: .continuous)
    print("Some requests have not ended 90 seconds later.")
    _ = tally.report()
    exit(1)
}
await work.value
watch.cancel()
client.close()

func figures() -> String {
    guard let file = fopen("/proc/self/status", "r") else { return "" }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    var found: [String] = []
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.hasPrefix("VmHWM:") || text.hasPrefix("Threads:") {
            found.append(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
    }
    return found.joined(separator: ", ")
}

var isRight = tally.report()
// A token ends because the server says so, or because the clock has jumped past its end: each of them once.
let ends = server.expirations + Int(interval > 0 ? (ContinuousClock.now - start) / .milliseconds(interval) : 0)
print("refreshes \(client.refreshes), for at most \(ends + 1) ends of a token")
if client.refreshes > ends + 1 { isRight = false }
if interval > 0 {
    print("clock     \(clock.description)")
    if !clock.hasJumped { isRight = false }
}
print("process   \(figures())")
print(isRight ? "Nothing was lost, nothing was answered twice." : "NOT as it must be; run again with the same seed.")
exit(isRight ? 0 : 1)
