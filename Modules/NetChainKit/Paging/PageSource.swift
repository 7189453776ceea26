import EventStreams
import NodeCore
import ResponseProcessing

/// Requests the pages of a list, one after the other.
struct PageSource<Page: Sendable>: ValueSource {
    typealias Fetch = @Sendable (ApiRequest) async throws -> ApiResponse<Page>

    private enum Upcoming {
        case first(ApiRequest)
        /// The request that the rule has returned, or its error.
        case request(Result<ApiRequest?, any Error>, PageSeries)
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
            series = PageSeries(of: first)
            request = series.adding(paging.first(first))
            page = try await series.run(request, fetch)
        case .request(let result, let current):
            guard let next = try result.get() else { return nil }
            (request, series) = (next, current)
            page = try await series.run(request, fetch)
        case .prefetched(let prefetch, let current):
            (request, series) = (prefetch.request, current)
            page = try await prefetch.page
        }
        // The rule is called now, so that the page isn't kept until the next one is asked for.
        let result = Result { [paging] in try paging.next(page, request).map(series.adding) }
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
    private let madeAt: LogicalTime
    private let start: ContinuousClock.Instant
    private let deadline: Duration?
    private let visited = VisitedPages()

    init(of request: ApiRequest) {
        madeAt = .now
        start = request.settings.clock.now
        deadline = request.settings.deadline
    }

    /// The request as one of the list. A rule may return a request that isn't made of the one before it.
    func adding(_ request: ApiRequest) -> ApiRequest {
        if request.settings.visitedPages === visited { return request }
        return request.setting {
            $0.visitedPages = visited
            $0.deadline = $0.deadline ?? deadline
            $0.deadlineStart = start
        }
    }

    /// Sends a request in the session in which the first page was asked for.
    func run<Page>(_ request: ApiRequest, _ fetch: PageSource<Page>.Fetch) async throws -> ApiResponse<Page> {
        let current = Run.current
        let run = Run(
            journal: current?.journal, admissions: current?.admissions ?? [], madeAt: madeAt,
            refreshes: current?.refreshes ?? [:])
        return try await Run.$current.withValue(run) { try await fetch(request) }
    }
}

/// A page that is requested before it is asked for. Releasing it cancels the request.
private final class Prefetch<Page: Sendable>: Sendable {
    let request: ApiRequest
    private let task: Task<ApiResponse<Page>, any Error>

    init(_ request: ApiRequest, _ series: PageSeries, _ fetch: @escaping PageSource<Page>.Fetch) {
        self.request = request
        task = Task { try await series.run(request, fetch) }
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
