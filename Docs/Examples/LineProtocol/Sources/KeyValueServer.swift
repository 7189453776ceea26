import Dispatch
import Synchronization

/// The demo's server: one command a connection, a queue's thread for each.
final class KeyValueServer: Sendable {
    let path: String
    /// One element for each command that waits, and for each of them that was given up.
    let waiting: AsyncStream<String>
    private let events: AsyncStream<String>.Continuation
    private let listener: UnixSocket
    private let values = Mutex<[String: String]>([:])

    init(path: String) throws {
        self.path = path
        (waiting, events) = AsyncStream.makeStream()
        listener = try .listening(at: path)
        DispatchQueue.global().async { [self] in
            while let client = try? listener.accepted() {
                DispatchQueue.global().async { [self] in
                    // A client that goes away is no matter of the server.
                    try? serve(client)
                }
            }
        }
    }

    private func serve(_ client: UnixSocket) throws {
        guard let line = try client.line() else { return }
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first, words.count) {
        case ("GET", 2):
            try client.write(line: values.withLock { $0[words[1]] }.map { "VALUE \($0)" } ?? "NONE")
        case ("SET", 3):
            values.withLock { $0[words[1]] = words[2] }
            try client.write(line: "VALUE \(words[2])")
        case ("WAIT", 2):
            events.yield("waits for \(words[1])")
            while try client.line() != nil {}
            events.yield("nobody waits for \(words[1])")
        default:
            try client.write(line: "ERROR unknown command '\(words.first ?? "")'")
        }
    }
}
