import EventStreams
import NodeCore
import ResponseProcessing

/// Requests the pages of a list, one after the other.
struct PageSource<Page: Sendable>: ValueSource {
    typealias Fetch = @Sendable (ApiRequest) async throws -> ApiResponse<Page>

    private enum Upcoming {
        case first(ApiRequest)
        /// The request that the rule has returned, or its error.
        case request(Result<PageRequest?, any Error>, PageSeries)
        case prefetched(Prefetch<Page>, PageSeries)
    }

    private let paging: Paging<Page>
    private let isPrefetching: Bool
    private let fetch: Fetch
    private var upcoming: Upcoming

    /// - Parameter fetch: sends a request.
    init(_ request: ApiRequest, by paging: Paging<Page>, prefetch: Int, _ fetch: @escaping Fetch) {
        self.paging = paging
        isPrefetching = prefetch > 0
        self.fetch = fetch
        upcoming = .first(request)
    }

    mutating func next() async throws -> ApiResponse<Page>? {
        let (request, page, series): (ApiRequest, ApiResponse<Page>, PageSeries)
        switch upcoming {
        case .first(let first):
            series = PageSeries(of: first, mayRepeat: paging.mayRepeat)
            request = series.adding(paging.first(first))
            page = try await series.run(request, fetch)
        case .request(let result, let current):
            guard let next = try result.get() else { return nil }
            (request, series) = (next.request, current)
            page = try await series.run(request, after: next.delay, fetch)
        case .prefetched(let prefetch, let current):
            (request, series) = (prefetch.request, current)
            page = try await prefetch.page
        }
        // The rule is called now, so that the page isn't kept until the next one is asked for.
        let result = Result { [paging] in try paging.next(page, request)?.map(series.adding) }
        if isPrefetching, case .success(let next?) = result {
            upcoming = .prefetched(Prefetch(next, series, fetch), series)
        } else {
            upcoming = .request(result, series)
        }
        return page
    }
}

/// What the requests of a list share, from the time at which the first page is asked for.
private struct PageSeries: Sendable {
    private let series: RequestSeries
    /// nil for a rule that may ask for a page again.
    private let visited: VisitedPages?

    init(of request: ApiRequest, mayRepeat: Bool) {
        series = RequestSeries(of: request)
        visited = mayRepeat ? nil : VisitedPages()
    }

    /// The request as one of the list. A rule may return a request that isn't made of the one before it.
    func adding(_ request: ApiRequest) -> ApiRequest {
        if let visited, request.settings.visitedPages === visited { return request }
        return series.adding(request).setting { $0.visitedPages = visited }
    }

    /// Sends a request after a delay, in the session in which the first page was asked for.
    func run<Page>(
        _ request: ApiRequest, after delay: Duration = .zero, _ fetch: @escaping PageSource<Page>.Fetch
    ) async throws -> ApiResponse<Page> {
        if delay > .zero { try await series.wait(for: delay) }
        return try await series.run { try await fetch(request) }
    }
}

/// A page that is requested before it is asked for. Releasing it cancels the request.
private final class Prefetch<Page: Sendable>: Sendable {
    let request: ApiRequest
    private let task: Task<ApiResponse<Page>, any Error>

    init(_ next: PageRequest, _ series: PageSeries, _ fetch: @escaping PageSource<Page>.Fetch) {
        request = next.request
        task = Task { try await series.run(next.request, after: next.delay, fetch) }
    }

    deinit {
        task.cancel()
    }

    var page: ApiResponse<Page> {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}
