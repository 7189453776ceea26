import FoundationEssentials
import Glibc
import NetChainKit
import Synchronization

// StreamSoak SECONDS SEED: see Scripts/soak.sh --streams.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard arguments.count == 2 else {
    print("Usage: StreamSoak SECONDS SEED")
    exit(2)
}
let (seconds, seed) = (arguments[0], arguments[1])
print("seed      \(seed)")
fflush(nil)

struct Row: Decodable, Sendable {
    let id: Int
    let name: String
}

/// What was read, and what was wrong.
struct Counts: Sendable {
    var events = 0
    var rows = 0
    var wholeExports = 0
    var errors: [String: Int] = [:]
    var wrong: [String] = []
}

let feed = try Feed(seed: seed)
let counts = Mutex(Counts())
let end = ContinuousClock.now + .seconds(seconds)
let api = ApiClient(feed.server.url) {
    $0.log.sink = .silent
    $0.stallTimeout = .seconds(1)
    $0.retry = .exponential(maxAttempts: 4, initialDelay: .milliseconds(5))
}

/// The name of an error, for the summary.
func name(of error: any Error) -> String {
    (error as? any NetChainFailure)?.errorType ?? "\(type(of: error))"
}

/// Follows the feed, and starts again with the last id where the stream fails. The numbers have no gap and no repetition.
func follow() async {
    var last = 0
    while .now < end {
        let request = api.get("feed").header("Last-Event-ID", last == 0 ? nil : "\(last)")
        do {
            for try await event in request.events(silenceLimit: .milliseconds(300)) {
                guard event.data == "\(last + 1)", event.id == event.data else {
                    counts.withLock { $0.wrong.append("\(event.data) with the id \(event.id ?? "-") after \(last)") }
                    return
                }
                last += 1
                counts.withLock { $0.events += 1 }
                if .now >= end { return }
            }
            counts.withLock { $0.wrong.append("the feed ended after \(last)") }
            return
        } catch {
            counts.withLock { $0.errors[name(of: error), default: 0] += 1 }
        }
    }
}

/// Reads exports: the rows count from 0, and only a whole export ends without an error.
func export(_ rows: @Sendable () -> ValueStream<Row>) async {
    while .now < end {
        var next = 0
        do {
            for try await row in rows() {
                guard row.id == next else {
                    counts.withLock { $0.wrong.append("row \(row.id) in place of \(next)") }
                    return
                }
                next += 1
                counts.withLock { $0.rows += 1 }
            }
            counts.withLock { counts in
                counts.wholeExports += 1
                if next != Feed.rows { counts.wrong.append("an export of \(next) rows passed for a whole one") }
            }
        } catch {
            counts.withLock { $0.errors[name(of: error), default: 0] += 1 }
        }
    }
}

/// Kibibytes of memory in use.
func residentMemory() throws -> Int {
    let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (Int(statm.split(separator: " ")[1]) ?? 0) * 4
}

let memory = Mutex<[Int]>([])
try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<16 { group.addTask { await follow() } }
    for _ in 0..<4 {
        group.addTask {
            await export { api.get("rows").lines(of: Row.self, silenceLimit: .milliseconds(300)) }
        }
        group.addTask {
            await export { api.get("array").elements(of: Row.self, at: "items") }
        }
    }
    group.addTask {
        while .now < end {
            try await Task.sleep(for: .seconds(1))
            let resident = try residentMemory()
            memory.withLock { $0.append(resident) }
        }
    }
    try await group.waitForAll()
}

let result = counts.withLock { $0 }
let samples = memory.withLock { $0 }
// After a third, all buffers and pools have their sizes.
let (early, late) = (samples.dropFirst(samples.count / 3).prefix(5).max() ?? 0, samples.suffix(5).max() ?? 0)
print("served    \(feed.summary)")
print("read      \(result.events) events, \(result.rows) rows, \(result.wholeExports) whole exports")
print("errors    \(result.errors.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
print("memory    \(early) KiB after a third, \(late) KiB at the end")
for wrong in result.wrong.prefix(10) { print("WRONG     \(wrong)") }
let isFlat = late < early + 20_000
let isRight = result.wrong.isEmpty && result.events > 0 && result.wholeExports > 0 && isFlat
print(isRight ? "Nothing was lost, nothing came twice, and memory is flat." : "NOT as it must be.")
exit(isRight ? 0 : 1)
