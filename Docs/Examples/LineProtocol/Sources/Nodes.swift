import Dispatch
import NodeCore

/// What a client of the key-value server can ask for.
enum Command: Sendable {
    case get(String)
    case set(String, String)
    /// Waits until the key is there.
    case wait(String)
}

enum KeyValueError: Error, Equatable {
    case noSuchKey(String)
    case refused(String)
    case closed
}

/// The lowest node: a line out, a line in, over a connection of its own. A cancel ends the connection, and with it
/// the wait for the answer.
final class LineSocketNode: Node<String, String>, @unchecked Sendable {  // immutable state
    let path: String

    init(path: String) { self.path = path }

    override func process(_ data: String) -> Observer<String> {
        let context = Context<String>()
        do {
            let socket = try UnixSocket.connected(to: path)
            context.onCancel { socket.end() }
            DispatchQueue.global().async {
                do {
                    try socket.write(line: data)
                    guard let answer = try socket.line() else { throw KeyValueError.closed }
                    context.emit(data: answer)
                } catch {
                    context.emit(error: error)
                }
            }
        } catch {
            context.emit(error: error)
        }
        return context.observer
    }
}

/// The node above it: a command becomes a line, and the answer's line a value or an error.
final class CommandNode: Node<Command, String>, @unchecked Sendable {  // immutable state
    let next: Node<String, String>

    init(next: Node<String, String>) { self.next = next }

    override func process(_ data: Command) -> Observer<String> {
        let line: String
        let key: String
        switch data {
        case .get(let name): (line, key) = ("GET \(name)", name)
        case .set(let name, let value): (line, key) = ("SET \(name) \(value)", name)
        case .wait(let name): (line, key) = ("WAIT \(name)", name)
        }
        // A line's end inside would be a second command.
        guard !line.contains(where: \.isNewline) else { return .emit(error: KeyValueError.refused("more than a line")) }
        return next.process(line).map { answer -> String in
            let words = answer.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            let rest = words.count > 1 ? String(words[1]) : ""
            switch words.first {
            case "VALUE": return rest
            case "NONE": throw KeyValueError.noSuchKey(key)
            default: throw KeyValueError.refused(rest)
            }
        }
    }
}

/// A typed chain on top: text to and from any type with a text of its own.
final class NumberNode: Node<String, Int>, @unchecked Sendable {  // immutable state
    let next: Node<Command, String>

    init(next: Node<Command, String>) { self.next = next }

    override func process(_ data: String) -> Observer<Int> {
        next.process(.get(data)).map { text -> Int in
            guard let number = Int(text) else { throw KeyValueError.refused("'\(text)' is no number") }
            return number
        }
    }
}
