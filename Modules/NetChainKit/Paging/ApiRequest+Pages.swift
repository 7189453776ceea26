public import EventStreams
public import Models
import NodeCore
public import ResponseProcessing

extension ApiRequest {
    /// The pages of a list, one response each.
    ///
    /// ```swift
    /// for try await page in api.get("issues").pages(as: [Issue].self, by: .link) { show(page.value) }
    /// ```
    ///
    /// - Nothing is sent before the first page is asked for, and no other page before it is asked for, except with
    ///   `prefetch`. Canceling the task that reads, or releasing the stream, cancels the request in progress.
    /// - Each page is a request with all settings of this one, such as its retries.
    /// - All pages belong to the session of the access token in which the first one was asked for.
    /// - The request's `deadline` is for all pages together, from the moment at which the first one is asked for. The
    ///   reader's own time between the pages counts.
    /// - An error ends the stream. It is that of `send(as:)`, the error of the rule, or `ValueStreamError` for a request
    ///   that repeats.
    ///
    /// - Parameters:
    ///   - type: the type of a page, as for `send(as:)`.
    ///   - paging: how the request for the next page is made.
    ///   - prefetch: how many pages are requested before they are asked for: with 1 the next page is requested while the
    ///     reader works on the current one. Its error is thrown when the reader asks for it. More than 1 counts as 1, and
    ///     less than 0 as 0.
    public func pages<Page: DTODecodable>(
        as type: Page.Type = Page.self, by paging: Paging<Page>, prefetch: Int = 0
    ) -> ValueStream<ApiResponse<Page>> where Page.DTO.Raw: ResponseConvertible {
        ValueStream(
            PageSource(self, by: paging, prefetch: prefetch) { request in
                try await request.chain(as: ApiResponse<Page>.self).execute(())
            })
    }

    /// The pages of a list, each a response with any `Decodable` value.
    @_disfavoredOverload
    public func pages<Page: Decodable & Sendable>(
        as type: Page.Type = Page.self, by paging: Paging<Page>, prefetch: Int = 0
    ) -> ValueStream<ApiResponse<Page>> {
        ValueStream(
            PageSource(self, by: paging, prefetch: prefetch) { request in
                try await request.chain(as: ApiResponse<Page>.self).execute(())
            })
    }

    /// The items of all pages of a list.
    ///
    /// ```swift
    /// for try await user in api.get("search").items(of: User.self, at: "items", by: .pageNumber()) { show(user) }
    /// ```
    ///
    /// The body of each page is JSON with an array of items. An empty body, and `null` in place of the array, is a page
    /// without items. A page is requested when all items of the one before it have been read; otherwise the stream is that
    /// of `pages(as:by:prefetch:)`.
    ///
    /// - Parameters:
    ///   - type: the type of an item.
    ///   - path: the keys of the objects around the array; none for a body that is the array. A missing key, and a value
    ///     that is no array, is a `DecodingError`.
    ///   - paging: how the request for the next page is made. Its closures get the items of a page as ``PageItems``, which
    ///     has the whole JSON.
    ///   - prefetch: with 1 the next page is requested while the items of the current one are read.
    public func items<Item: DTODecodable>(
        of type: Item.Type = Item.self, at path: String..., by paging: Paging<PageItems<Item>>, prefetch: Int = 0
    ) -> ValueStream<Item> where Item.DTO.Raw == Json {
        items(at: path, by: paging, prefetch) { json, _ in try [Item].from(dto: try [Item.DTO].from(raw: json)) }
    }

    /// The items of all pages of a list, of any `Decodable` type.
    @_disfavoredOverload
    public func items<Item: Decodable & Sendable>(
        of type: Item.Type = Item.self, at path: String..., by paging: Paging<PageItems<Item>>, prefetch: Int = 0
    ) -> ValueStream<Item> {
        items(at: path, by: paging, prefetch) { json, decoder in try json.decode([Item].self, using: decoder) }
    }

    private func items<Item>(
        at path: [String], by paging: Paging<PageItems<Item>>, _ prefetch: Int,
        _ decode: @escaping @Sendable (Json, JsonDecoder) throws -> [Item]
    ) -> ValueStream<Item> {
        ValueStream(
            ItemSource(
                pages: PageSource(self, by: paging, prefetch: prefetch) { request in
                    let decoder = request.settings.json.decoder
                    let page: @Sendable (HttpResponse) throws -> PageItems<Item> = { response in
                        try PageItems(response, at: path) { try decode($0, decoder) }
                    }
                    return try await request.chain(.json, responding(page)).execute(())
                }))
    }
}

/// The items of the pages of a list.
private struct ItemSource<Item: Sendable>: ValueSource {
    private var pages: PageSource<PageItems<Item>>
    private var items: IndexingIterator<PageItems<Item>>?

    init(pages: PageSource<PageItems<Item>>) {
        self.pages = pages
    }

    mutating func ready() -> Item? { items?.next() }

    mutating func next() async throws -> Item? {
        while true {
            if let item = items?.next() { return item }
            items = nil
            guard let page = try await pages.next() else { return nil }
            items = page.value.makeIterator()
        }
    }
}
