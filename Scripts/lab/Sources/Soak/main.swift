import Glibc
import NetChainKit

// Soak SECONDS SEED, and `jumping-clock` where Scripts/lab/jumping_clock.c is preloaded: see Scripts/soak.sh.
let arguments = CommandLine.arguments
guard let seconds = UInt64(arguments[1]), let seed = UInt64(arguments[2]) else { exit(2) }
let clockJumps = arguments.last == "jumping-clock"
print("seed      \(seed)")
fflush(nil)

let server = try Server()
let tally = Tally(clockJumps: clockJumps)
let client = try Client(server: server, tally: tally, seed: seed, tokenLifetime: clockJumps ? .seconds(60) : nil)
let start = ContinuousClock.now
let deadline = start + .seconds(seconds)

/// Counts the jumps of the wall clock by more than a minute, ahead and behind, by a clock that only goes forwards.
func countJumps() async -> (ahead: Int, behind: Int) {
    func offset() -> Double { Double(time(nil)) - (ContinuousClock.now - start) / .seconds(1) }
    var last = offset()
    var (ahead, behind) = (0, 0)
    while ContinuousClock.now < deadline {
        try? await Task.sleep(for: .milliseconds(5))
        let now = offset()
        if now > last + 60 { ahead += 1 } else if now < last - 60 { behind += 1 }
        last = now
    }
    return (ahead, behind)
}

async let jumps = countJumps()
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

var isRight = tally.report()
// A token ends because the server says so, or because the clock has jumped past its end, each 50 ms: each of them once.
let ends = server.expirations + Int(clockJumps ? (ContinuousClock.now - start) / .milliseconds(50) : 0)
print("refreshes \(tally.refreshes), for at most \(ends + 1) ends of a token")
if tally.refreshes > ends + 1 { isRight = false }
let (ahead, behind) = await jumps
if clockJumps {
    print("clock     jumped \(ahead) times ahead and \(behind) times behind")
    if ahead == 0 || behind == 0 { isRight = false }
}
print(isRight ? "Nothing was lost, nothing was answered twice." : "NOT as it must be; run again with the same seed.")
exit(isRight ? 0 : 1)
