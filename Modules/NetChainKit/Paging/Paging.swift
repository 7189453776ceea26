public import ResponseProcessing
public import UrlTransport

/// How the request for the next page of a list is made: `.link`, `.url { … }`, `.pageNumber()`, `.offset(limit: 100)`,
/// `.cursor("after") { … }`, or a rule of your own.
///
/// ```swift
/// for try await issue in api.get("issues").items(of: Issue.self, by: .link) { titles.append(issue.title) }
///
/// let own = Paging<Answer> { page, request in
///     page.value.next.map { request.query("next", $0) }
/// }
/// ```
///
/// - Each page's request is the one before it with a change, so that what is set on that stays: method, body, headers,
///   timeouts, retries.
/// - A rule that asks for the same page again (method, URL, headers and body) fails the list with
///   `ValueStreamError.Code.repeatedPage`, and the request isn't sent. Requests whose body is a stream aren't compared.
public struct Paging<Page: Sendable>: Sendable {
    let first: @Sendable (ApiRequest) -> ApiRequest
    let next: @Sendable (ApiResponse<Page>, ApiRequest) throws -> PageRequest?
    /// Whether the same request may follow another time.
    let mayRepeat: Bool

    /// Creates a rule.
    ///
    /// - Parameter next: returns the request for the page after the one of the response, from the request for that; nil
    ///   after the last page. Called once for each page, in a task, on any thread. Its error is thrown where the next
    ///   page would follow.
    public init(_ next: @escaping @Sendable (ApiResponse<Page>, ApiRequest) throws -> ApiRequest?) {
        self.init(first: { $0 }, next: next)
    }

    private init(
        first: @escaping @Sendable (ApiRequest) -> ApiRequest,
        next: @escaping @Sendable (ApiResponse<Page>, ApiRequest) throws -> ApiRequest?
    ) {
        self.init(first: first, mayRepeat: false) { try next($0, $1).map { PageRequest(request: $0) } }
    }

    private init(
        first: @escaping @Sendable (ApiRequest) -> ApiRequest, mayRepeat: Bool,
        next: @escaping @Sendable (ApiResponse<Page>, ApiRequest) throws -> PageRequest?
    ) {
        (self.first, self.next, self.mayRepeat) = (first, next, mayRepeat)
    }
}

/// The request for a page, which is sent after a delay.
struct PageRequest: Sendable {
    let request: ApiRequest
    var delay = Duration.zero

    func map(_ transform: (ApiRequest) -> ApiRequest) -> PageRequest {
        PageRequest(request: transform(request), delay: delay)
    }
}

// MARK: - Links

extension Paging {
    /// The link to the next page in the `Link` fields, with the relation type `next` (RFC 8288). Without one, the page is
    /// the last.
    ///
    /// - The URL is sent as it is. Query values of the request aren't added to it, except secrets such as an `api_key`
    ///   that it lacks.
    /// - A page on another origin than the page before gets no credentials, and so do those after it.
    /// - A target that is no URL, and one that leads from https to http, is a `RequestBuildingError`.
    public static var link: Paging {
        Paging { page, request in
            try page.webLink("next").map { try request.following($0.target, in: page) }
        }
    }

    /// The URL of the next page in the body or in a header, whole or relative to that of the response. nil, or an empty
    /// text, is for the last page. The URL is sent as for ``link``.
    ///
    /// ```swift
    /// api.get("people").items(of: Person.self, at: "results", by: .url { $0.value.json["next"]?.string })
    /// ```
    public static func url(_ next: @escaping @Sendable (ApiResponse<Page>) throws -> String?) -> Paging {
        Paging { page, request in
            guard let reference = try next(page), !reference.isEmpty else { return nil }
            return try request.following(reference, in: page)
        }
    }
}

extension ApiRequest {
    fileprivate func following<Page>(_ reference: String, in page: ApiResponse<Page>) throws -> ApiRequest {
        guard let url = page.url.resolving(reference) else {
            throw RequestBuildingError(.invalidUrl, "The link to the next page is no URL.")
        }
        return try following(url, from: page.url)
    }
}

// MARK: - Numbers

extension Paging {
    /// The number of the page as a query value, increased by 1 for each page.
    ///
    /// - Parameters:
    ///   - name: the name of the query value.
    ///   - first: the number of the first page to request. It replaces a query value of the request.
    ///   - isLast: whether the page is the last one.
    public static func pageNumber(
        _ name: String = "page", from first: Int = 1,
        isLast: @escaping @Sendable (ApiResponse<Page>) throws -> Bool
    ) -> Paging {
        Paging(first: { $0.replacing(name, by: first) }) { page, request in
            try isLast(page) ? nil : request.adding(1, to: name)
        }
    }

    /// The number of items to skip as a query value, increased by the number of items received: servers may send fewer
    /// than the limit.
    ///
    /// - Parameters:
    ///   - name: the name of the query value.
    ///   - first: the number of items to skip before the first page. It replaces a query value of the request.
    ///   - limit: how many items are wanted in each page, as another query value.
    ///   - limitName: the name of that.
    ///   - count: the number of items of the page. A page without items is the last one.
    public static func offset(
        _ name: String = "offset", from first: Int = 0, limit: Int, named limitName: String = "limit",
        count: @escaping @Sendable (ApiResponse<Page>) throws -> Int
    ) -> Paging {
        Paging(first: { $0.replacing(name, by: first).replacing(limitName, by: limit) }) { page, request in
            let count = try count(page)
            return count > 0 ? request.adding(count, to: name) : nil
        }
    }
}

extension Paging where Page: Collection {
    /// The number of the page as a query value, increased by 1 for each page. An empty page is the last one.
    ///
    /// - Parameters:
    ///   - name: the name of the query value.
    ///   - first: the number of the first page to request. It replaces a query value of the request.
    public static func pageNumber(_ name: String = "page", from first: Int = 1) -> Paging {
        pageNumber(name, from: first) { $0.value.isEmpty }
    }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "pageNumber(_:from:)")
    public static func page(_ name: String = "page", from first: Int = 1) -> Paging { pageNumber(name, from: first) }

    /// The number of items to skip as a query value, increased by the number of items received: servers may send fewer
    /// than the limit. An empty page is the last one.
    ///
    /// - Parameters:
    ///   - name: the name of the query value.
    ///   - first: the number of items to skip before the first page. It replaces a query value of the request.
    ///   - limit: how many items are wanted in each page, as another query value.
    ///   - limitName: the name of that.
    public static func offset(
        _ name: String = "offset", from first: Int = 0, limit: Int, named limitName: String = "limit"
    ) -> Paging {
        offset(name, from: first, limit: limit, named: limitName) { $0.value.count }
    }
}

extension ApiRequest {
    /// Sets a query value in place of one of the same name, also of one that is a part of the path's text.
    fileprivate func replacing(_ name: String, by value: any QueryConvertible) -> ApiRequest {
        removingFromRoute(name).query(name, value)
    }

    /// Increases a query value that is a number; nil where the sum is too large for one.
    fileprivate func adding(_ count: Int, to name: String) -> ApiRequest? {
        guard case .number(let text)? = settings.query[name]?.queryValue, let number = Int(text) else { return nil }
        let (sum, isTooLarge) = number.addingReportingOverflow(count)
        return isTooLarge ? nil : query(name, sum)
    }
}

// MARK: - Cursors

extension Paging {
    /// A value of the page, such as a token for the next one, as a query value of the next request.
    ///
    /// - Parameters:
    ///   - name: the name of the query value. The first request has none, unless it is set on it.
    ///   - next: returns the value; nil, or an empty text, after the last page.
    public static func cursor<Cursor: QueryConvertible>(
        _ name: String, _ next: @escaping @Sendable (ApiResponse<Page>) throws -> Cursor?
    ) -> Paging {
        Paging { page, request in
            let cursor = try next(page)?.queryValue ?? .none
            return cursor == .none || cursor == .string("") ? nil : request.replacing(name, by: cursor)
        }
    }

    /// Long polls: a list without end, whose server holds each request until there is something new. The position is a query
    /// value.
    ///
    /// ```swift
    /// let events = api.get("events").query("timeout", 60).timeout(.seconds(90)).stallTimeout(.zero)
    ///     .retry(.exponential(maxAttempts: .max))
    /// for try await event in events.items(of: Event.self, by: .longPoll("since") { $0.value.last?.id }) {
    ///     handle(event)
    /// }
    /// ```
    ///
    /// A retry asks for the same position. Where the server's positions begin again with its restart, send the request with
    /// `retry(.never)`, and begin a new stream after an error.
    ///
    /// - Parameters:
    ///   - name: the name of the query value. The first request has none, unless it is set on it.
    ///   - delay: the time before the same position is asked for again, by the client's clock: a server that doesn't hold
    ///     requests isn't flooded.
    ///   - position: returns the position after the page; nil, or an empty text, where it stays the same.
    public static func longPoll<Position: QueryConvertible>(
        _ name: String, delay: Duration = .seconds(1),
        _ position: @escaping @Sendable (ApiResponse<Page>) throws -> Position?
    ) -> Paging {
        Paging(first: { $0 }, mayRepeat: true) { page, request in
            let position = try position(page)?.queryValue ?? .none
            let isKnown =
                position == .none || position == .string("") || position == request.settings.query[name]?.queryValue
            return isKnown
                ? PageRequest(request: request, delay: delay)
                : PageRequest(request: request.replacing(name, by: position))
        }
    }
}
