import ClientSupport
import FoundationEssentials
import NetChainKit

// What a cache costs and saves: `CacheBenchmark URL FOLDER [rounds=N] [as=data]`. The server has documents at
// `/stored/`, which may be stored, and at `/unstored/`, which may not. With `as=data` they aren't decoded.

let arguments = CommandLine.arguments
let (base, folder) = (arguments[1], URL(filePath: arguments[2]))
let rounds = arguments.first { $0.hasPrefix("rounds=") }.flatMap { Int($0.dropFirst(7)) } ?? 15
let requests = 200
let isDecoded = !arguments.contains("as=data")

var configuration = CurlRequestSender.Configuration()
configuration.limits.requestsPerOrigin = 64
configuration.connections.maxIdle = 64
let sender = try CurlRequestSender(configuration: configuration)

/// A way to send the same requests.
struct Kind: Sendable {
    let name: String
    let path: String
    let api: ApiClient
    /// Whether all requests are for the same URL.
    var isHit = false

    init(_ name: String, _ cache: HttpCache?, path: String = "stored", isHit: Bool = false) {
        self.name = name
        self.path = path
        self.isHit = isHit
        api = ApiClient(base) {
            $0.sender = sender
            $0.cache = cache
        }
    }
}

let memory = HttpCache(memory: 50_000_000)
let disk = try HttpCache(folder: folder, limit: 200_000_000)
let kinds = [
    Kind("without a cache", nil), Kind("miss, not storable", memory, path: "unstored"),
    Kind("miss, stored in memory", memory), Kind("miss, stored in a folder", disk),
    Kind("hit in memory", memory, isHit: true), Kind("hit in a folder", disk, isHit: true),
]

/// The number of the next URL, which no request has used.
nonisolated(unsafe) var number = 0  // changed by the main task only

/// Sends requests, some at a time. Returns the microseconds for each.
func time(_ kind: Kind, _ document: String, concurrency: Int) async throws -> Double {
    let first = number
    if !kind.isHit { number += requests }
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<concurrency {
            group.addTask {
                for index in stride(from: worker, to: requests, by: concurrency) {
                    let n = kind.isHit ? 0 : first + index + 1
                    let request = kind.api.get("\(kind.path)/\(document).json").query("n", n)
                    if isDecoded {
                        _ = try await request.send(as: [User].self)
                    } else {
                        _ = try await request.send(as: Data.self)
                    }
                }
            }
        }
        try await group.waitForAll()
    }
    let duration = (clock.now - start) / .microseconds(1) / Double(requests)
    // What is stored in the background counts for the time of no other kind.
    if kind.name.contains("folder") { await disk.waitForWrites() }
    return duration
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
}

print("| document | at a time | kind | µs for a request | times the one without a cache |")
print("|---|---|---|---|---|")
for (document, size) in [("few-users", "2 KB"), ("users", "20 KB")] {
    for concurrency in [1, 16] {
        var times: [String: [Double]] = [:]
        for round in -1..<rounds {
            for kind in kinds.shuffled() {
                let time = try await time(kind, document, concurrency: concurrency)
                // The first round fills caches and opens connections.
                if round >= 0 { times[kind.name, default: []].append(time) }
            }
        }
        for kind in kinds {
            // Pairs of the same round, because the machine's speed changes.
            let own = times[kind.name] ?? []
            let ratios = zip(own, times["without a cache"] ?? []).map { $0 / $1 }
            let ratio = (median(ratios) * 100).rounded() / 100
            print("| \(size) | \(concurrency) | \(kind.name) | \(Int(median(own))) | \(ratio) |")
        }
    }
}
