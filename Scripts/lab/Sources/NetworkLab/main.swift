import Glibc
import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Sends requests, each with a unique `X-Request-Id`, and prints a line of JSON: see Scripts/network-lab.sh.
guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
    print("Usage: NetworkLab url=URL count=N|seconds=N [KEY=VALUE …]; the keys are in Arguments.swift")
    exit(2)
}
let sender = try CurlRequestSender(configuration: arguments.senderConfiguration())
let api = ApiClient(arguments.url) {
    $0.sender = sender
    $0.timeout = arguments.timeout
    $0.retry = arguments.attempts > 1 ? .constant(.milliseconds(100), maxAttempts: arguments.attempts) : nil
}.log(to: arguments.explainsResends ? .events(explain) : .silent)
let body = Data(repeating: 0x61, count: arguments.body)
let tally = Tally(count: arguments.count, seconds: arguments.seconds)

@Sendable func send(_ id: Int) async {
    let url = arguments.explainsResends ? "\(arguments.url)?\(id)" : arguments.url
    var request = api.request(arguments.method, url).header("X-Request-Id", "\(id)")
    if !body.isEmpty { request = request.body(.data(body)) }
    let start = ContinuousClock.now
    do {
        if let file = arguments.download {
            let response = try await request.download(to: URL(fileURLWithPath: file), resuming: true)
            tally.succeeded(status: response.status, version: response.metrics.httpVersion)
        } else {
            let response = try await request.send()
            tally.succeeded(status: response.status, version: response.metrics.httpVersion)
        }
    } catch let error as HttpError {
        tally.succeeded(status: error.response.status, version: error.response.metrics.httpVersion)
    } catch {
        tally.failed(id, error)
    }
    tally.took(ContinuousClock.now - start)
}

/// Notes why the sender sends a request again.
@Sendable func explain(_ event: Log) {
    guard event.kind == .retry, let id = event.details.url?.split(separator: "?").last else { return }
    tally.resent(String(id), because: event.message)
}

let silent = arguments.silent.map { url in Task { _ = try? await api.get(url).send() } }
await withTaskGroup(of: Void.self) { group in
    for _ in 0..<arguments.concurrency {
        group.addTask {
            while let number = tally.next() {
                let start = ContinuousClock.now
                await send(arguments.first + number)
                if let interval = arguments.interval { try? await Task.sleep(until: start + interval) }
            }
        }
    }
}
var report = tally.report()
if let silent {
    let start = ContinuousClock.now
    silent.cancel()
    await silent.value
    report.cancellation = (ContinuousClock.now - start) / .seconds(1)
}
sender.close()
print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
