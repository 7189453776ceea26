import Foundation
import NetChainKit

/// A task, as the API and the program both know it.
struct TodoItem: Codable, Equatable {
    let id: Int
    let title: String
    let isDone: Bool

    enum CodingKeys: String, CodingKey {
        case id, title
        case isDone = "done"
    }
}

/// What is sent to make a task.
struct NewTodoItem: Codable {
    let title: String
}

/// What the API says when it refuses.
struct ApiProblem: Decodable {
    let message: String
}

/// The requests that the program makes.
struct TasksApi: Sendable {
    private let api: ApiClient
    /// What is shown while the server can't be reached; nil to fail then.
    let cache: HttpCache?

    init(base: URL, cache: HttpCache? = nil) {
        self.cache = cache
        api = ApiClient(base) {
            $0.timeout = .seconds(20)
            $0.retry = .exponential()
            $0.cache = cache
            $0.log.sink = .silent
        }
    }

    /// The tasks, with where the response comes from.
    func all(onlyOpen: Bool) async throws -> ApiResponse<[TodoItem]> {
        try await api.get("tasks").query("done", onlyOpen ? false : nil).send()
    }

    func add(_ title: String) async throws -> TodoItem {
        try await api.post("tasks").body(NewTodoItem(title: title)).send()
    }

    func finish(_ id: Int) async throws -> TodoItem {
        try await api.patch("tasks/\(id)").body(["done": true]).send()
    }

    func remove(_ id: Int) async throws {
        try await api.delete("tasks/\(id)").send()
    }
}
