import NodeCore
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct AwaitedAnswerTests {
    @TaskLocal private static var isInTask = false

    @Test(.timeLimit(.minutes(1)), arguments: [0, 1, 100_000])
    func anAnswerIsLeftToTheTaskThatWaits(size: Int) async throws {
        let url = try #require(URL(string: "https://example.com"))
        let answer = UrlDataResponse(
            request: RawUrlRequest(method: .get, url: url), statusCode: 200, data: Data(count: size))
        let context = Context<UrlDataResponse>()
        let observer = context.observer.map { ($0.data.count, Self.isInTask) }
        let task = Task { try await Self.$isInTask.withValue(true) { try await observer.value } }
        while !context.isAwaited, !Task.isCancelled { await Task.yield() }
        context.end(with: .success(answer))
        #expect(try await task.value == (size, true))
    }
}
