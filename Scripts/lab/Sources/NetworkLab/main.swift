import FoundationEssentials
import Glibc
import NetChainKit

// Sends requests, each with a unique `X-Request-Id`, and prints a line of JSON: see Scripts/network-lab.sh. The
// argument is JSON, too.
let arguments = try JsonDecoder().decode(Arguments.self, from: Data(CommandLine.arguments[1].utf8))
let sender = try CurlRequestSender(configuration: arguments.senderConfiguration())
let api = ApiClient(arguments.url) {
    $0.sender = sender
    $0.timeout = arguments.timeout.map { .seconds($0) }
    $0.retry = arguments.attempts.map { .constant(.milliseconds(100), maxAttempts: $0) }
    $0.log.sink = .silent
}
let method = HttpMethod(rawValue: arguments.method ?? "GET")
let body = Data(repeating: 0x61, count: arguments.body ?? 0)
let tally = Tally(count: arguments.count, seconds: arguments.seconds)

@Sendable func send(_ id: Int) async {
    var request = api.request(method, arguments.url).header("X-Request-Id", "\(id)")
    if !body.isEmpty { request = request.body(.data(body)) }
    let start = ContinuousClock.now
    do {
        if let file = arguments.download {
            tally.succeeded(status: try await request.download(to: URL(filePath: file), resuming: true).status)
        } else {
            tally.succeeded(status: try await request.send().status)
        }
    } catch let error as HttpError {
        tally.succeeded(status: error.response.status)
    } catch {
        tally.failed(id, error)
    }
    tally.took(ContinuousClock.now - start)
}

let silent = arguments.silent.map { url in Task { _ = try? await api.get(url).send() } }
await withTaskGroup(of: Void.self) { group in
    for _ in 0..<(arguments.concurrency ?? 1) {
        group.addTask {
            while let number = tally.next() {
                let start = ContinuousClock.now
                await send(arguments.first + number)
                if let interval = arguments.interval { try? await Task.sleep(until: start + .seconds(interval)) }
            }
        }
    }
}
var report = tally.report
if let silent {
    let start = ContinuousClock.now
    silent.cancel()
    await silent.value
    report.cancellation = (ContinuousClock.now - start) / .seconds(1)
}
sender.close()
print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
