import Foundation
import NetChainKit

/// A task, as the API and the program both know it: one layer is enough.
struct TodoItem: Codable, JsonModel, Equatable {
    let id: Int
    let title: String
    let isDone: Bool

    enum CodingKeys: String, CodingKey {
        case id, title
        case isDone = "done"
    }
}

/// What is sent to make a task.
struct NewTodoItem: Codable, JsonModel {
    let title: String
}

/// What the API says when it refuses.
struct ApiProblem: Decodable {
    let message: String
}

/// The requests that the program makes.
struct TasksApi: Sendable {
    let base: URL

    func all(onlyOpen: Bool) async throws -> [TodoItem] {
        let request = try request(.get, "/tasks")
        return try await (onlyOpen ? request.set(query: ["done": false]) : request).build().execute()
    }

    func add(_ title: String) async throws -> TodoItem {
        try await request(.post, "/tasks").build().execute(NewTodoItem(title: title))
    }

    func finish(_ id: Int) async throws -> TodoItem {
        try await request(.patch, "/tasks/\(id)").build().execute(["done": true] as Json)
    }

    func remove(_ id: Int) async throws {
        try await request(.delete, "/tasks/\(id)").build().execute()
    }

    /// What all requests have in common.
    private func request(_ method: HttpMethod, _ path: String) throws -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>()
            .route(method, try base + path)
            .timeout(.seconds(20))
            .retry(.exponential())
            .log(to: .silent)
    }
}
