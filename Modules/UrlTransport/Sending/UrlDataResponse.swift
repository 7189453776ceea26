#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A whole answer of a server: status, headers and body.
public struct UrlDataResponse: Sendable {
    /// The request that was sent, before any redirect.
    public var request: RawUrlRequest
    /// Where the answer came from, after redirects.
    public var url: URL
    /// The status code (RFC 9110 §15).
    public var statusCode: Int
    /// The headers.
    public var headers: HttpHeaders
    /// The body, decompressed; empty where it went to a file or a stream.
    public var data: Data
    /// The file that the body went to, where one was asked for (``RequestOptions/destination``).
    public var file: URL?
    /// The body as a stream, where one was asked for (``RequestOptions/destination``).
    public var bytes: ByteStream?
    /// What the transfer cost.
    public var metrics: TransferMetrics

    /// Makes an answer.
    public init(
        request: RawUrlRequest, url: URL? = nil, statusCode: Int, headers: HttpHeaders = HttpHeaders(),
        data: Data = Data(), file: URL? = nil, bytes: ByteStream? = nil, metrics: TransferMetrics = TransferMetrics()
    ) {
        self.request = request
        self.url = url ?? request.url
        self.statusCode = statusCode
        self.headers = headers
        self.data = data
        self.file = file
        self.bytes = bytes
        self.metrics = metrics
    }
}

/// How a sending ended: with an answer, or with the error that kept it from coming. What ``RequestSenderNode`` hands on.
public struct DataResponse: Sendable {
    /// The request that was sent.
    public var request: RawUrlRequest
    /// The answer or the error.
    public var result: Result<UrlDataResponse, any Error>

    /// Makes it.
    public init(request: RawUrlRequest, result: Result<UrlDataResponse, any Error>) {
        self.request = request
        self.result = result
    }
}
