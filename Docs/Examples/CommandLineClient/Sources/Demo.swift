import Foundation
import NetChainKit
import NetChainTestKit
import Synchronization

struct Unexpected: Error {
    let command: String
    let text: String
}

/// Runs each command against a server of its own, and fails where one prints something else than it should.
func runDemo() async throws {
    let server = try startTasksServer()
    let folder = FileManager.default.temporaryDirectory.appending(path: "tasks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    // A cache of its own for each command, as if each were a process.
    func api() throws -> TasksApi { TasksApi(base: server.url, cache: try HttpCache(folder: folder, limit: 1_000_000)) }
    let steps: [(command: [String], status: Int32, text: String)] = [
        (["list"], 0, "[x] 1 Buy bread"),
        (["add", "Water the plants"], 0, "[ ] 2 Water the plants"),
        (["list", "--open"], 0, "[ ] 2 Water the plants"),
        (["finish", "2"], 0, "[x] 2 Water the plants"),
        (["remove", "1"], 0, "removed 1"),
        (["list"], 0, "[x] 2 Water the plants"),
        (["finish", "99"], 1, "There is no task 99."),
        (["list", "everything"], 64, Program.usage),
    ]
    for step in steps {
        let (status, text) = await Program.run(step.command, with: try api())
        print("$ \(step.command.joined(separator: " "))\n\(text)")
        guard status == step.status, text == step.text else {
            throw Unexpected(command: step.command.joined(separator: " "), text: text)
        }
    }
    server.stop()
    let list = await Program.run(["list"], with: try api())
    print("$ list\n\(list.text)")
    guard list.status == 0, list.text.hasPrefix("[x] 2 Water the plants\n(as of") else {
        throw Unexpected(command: "list without a server", text: list.text)
    }
    let (status, text) = await Program.run(["add", "Nobody listens"], with: try api())
    print("$ add 'Nobody listens'\n\(text)")
    guard status == 2 else { throw Unexpected(command: "add", text: text) }
}

/// Stands in for the API.
private func startTasksServer() throws -> LoopbackServer {
    let tasks = Table([TodoItem(id: 1, title: "Buy bread", isDone: true)])
    let server = try LoopbackServer()
    server.on(.get, "/tasks") { request in
        let onlyOpen = request.queryItems.contains { $0.name == "done" && $0.value == "0" }
        return try answer(tasks.change { items in items.filter { !(onlyOpen && $0.isDone) } })
    }
    server.on(.post, "/tasks") { request in
        let title = try Json(parsing: request.text)["title"]?.string ?? ""
        let new = tasks.change { items in
            let new = TodoItem(id: (items.map(\.id).max() ?? 0) + 1, title: title, isDone: false)
            items.append(new)
            return new
        }
        return try answer(new, status: 201)
    }
    server.on(.patch, "/tasks/:id") { request in
        let id = request.parameters["id"].flatMap(Int.init)
        let finished: TodoItem? = tasks.change { items in
            guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
            items[index] = TodoItem(id: items[index].id, title: items[index].title, isDone: true)
            return items[index]
        }
        guard let finished else {
            return .json(#"{"message": "There is no task \#(id ?? 0)."}"#, status: 404)
        }
        return try answer(finished)
    }
    server.on(.delete, "/tasks/:id") { request in
        tasks.change { items in items.removeAll { "\($0.id)" == request.parameters["id"] } }
        return .status(204)
    }
    return server
}

private func answer(_ value: some Encodable, status: Int = 200) throws -> LoopbackResponse {
    .json("\(try Json(encoding: value))", status: status)
}

/// The server's tasks.
private final class Table: Sendable {
    private let items: Mutex<[TodoItem]>

    init(_ items: [TodoItem]) { self.items = Mutex(items) }

    func change<Result: Sendable>(_ body: (inout [TodoItem]) -> Result) -> Result {
        items.withLock { body(&$0) }
    }
}
