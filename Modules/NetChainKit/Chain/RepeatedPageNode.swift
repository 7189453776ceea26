import EventStreams
import HttpMessages
import Logging
import Models
import NodeCore

/// Fails a request of a list of pages that was made before, without sending it. Retries and replays follow in the chain.
final class RepeatedPageNode: AsyncNode<HttpRequest, HttpResponse>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpRequest, HttpResponse>
    private let visited: VisitedPages

    init(next: Node<HttpRequest, HttpResponse>, visited: VisitedPages) {
        self.next = next
        self.visited = visited
    }

    override func execute(_ data: HttpRequest) async throws -> HttpResponse {
        guard visited.insert(data) else {
            let error = ValueStreamError(
                .repeatedPage, "The rule of the pages asks for this page a second time.", of: "\(data)")
            log(error)
            throw error
        }
        return try await next.execute(data)
    }
}
