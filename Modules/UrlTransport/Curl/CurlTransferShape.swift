#if os(Linux)
/// What the settings of a plain transfer depend on, beside its URL and the configuration of its loop: a handle that has
/// served one of the same shape needs only the URL.
///
/// Making all settings anew is most of what a small request costs besides its transfer. Only what is plain has a shape, so
/// that nothing of a request can be left to another one: a `GET` without a body, a time limit, an observer of any kind,
/// a file for its answer, cookies, a proxy or user info in its URL.
struct CurlTransferShape: Equatable {
    private let isHttps: Bool
    private let fields: [HttpHeaders.Field]

    init?(_ transfer: CurlTransfer) {
        let hop = transfer.hop
        guard transfer.isPlain, transfer.redirects == 0, hop.method == .get, hop.body.isEmpty, transfer.hops == nil,
            transfer.request.options.onProgress == nil, transfer.deadline == nil, !transfer.isSecondTry,
            transfer.configuration.cookies == .off
        else { return nil }
        if case .url = transfer.configuration.proxy { return nil }
        if case .file = transfer.request.options.destination { return nil }
        isHttps = transfer.origin.isHttps
        fields = hop.headers.fields
    }
}
#endif
