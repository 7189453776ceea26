package import Models
public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response of a server: status, headers and body.
///
/// The body is in one of three places, as ``RequestOptions/destination`` of the request says: ``data``, ``file`` or
/// ``bytes``, which follow the headers. The body of a status that isn't a success is always in ``data``. A response to a
/// request with a `Range` may be a part, with status 206.
public struct HttpResponse: Sendable {
    private struct Members: Sendable {
        var request: HttpRequest
        var url: URL
        var status: Int
        var headers: HttpHeaders
        var data: Data
        var file: URL?
        var bytes: ByteStream?
        var metrics: TransferMetrics
        var hasLeftOrigin = false
        var hasChangedMethod = false
        var cache: CacheOutcome?
    }

    private var storage: CopyOnWrite<Members>

    /// The request that was sent, before any redirect.
    public var request: HttpRequest {
        get { storage.members.request }
        _modify { yield &storage.members.request }
    }

    /// The URL of the response, after redirects.
    public var url: URL {
        get { storage.members.url }
        _modify { yield &storage.members.url }
    }

    /// The status code (RFC 9110 §15). A resumed download of a file that is already complete has 206, although the
    /// server sent 416; ``headers`` are those of the 416.
    public var status: Int {
        get { storage.members.status }
        _modify { yield &storage.members.status }
    }

    /// The former name of ``status``.
    @available(*, deprecated, renamed: "status")
    public var statusCode: Int {
        get { status }
        set { status = newValue }
    }

    /// The headers.
    public var headers: HttpHeaders {
        get { storage.members.headers }
        _modify { yield &storage.members.headers }
    }

    /// The body, decompressed; empty where it went to a file or a stream.
    public var data: Data {
        get { storage.members.data }
        _modify {
            readJson = nil
            yield &storage.members.data
        }
    }

    /// The file that contains the body, where one was requested (``RequestOptions/destination``).
    public var file: URL? {
        get { storage.members.file }
        _modify { yield &storage.members.file }
    }

    /// The body as a stream, where one was requested (``RequestOptions/destination``).
    public var bytes: ByteStream? {
        get { storage.members.bytes }
        _modify { yield &storage.members.bytes }
    }

    /// The metrics of the transfer.
    public var metrics: TransferMetrics {
        get { storage.members.metrics }
        _modify { yield &storage.members.metrics }
    }

    /// What a cache did; nil where the request went through none.
    public var cache: CacheOutcome? {
        get { storage.members.cache }
        _modify { yield &storage.members.cache }
    }

    /// Whether the cache has made the response, and no server.
    package var isOfCacheOnly: Bool { cache?.isStored == true || isUnsatisfied }

    /// Whether a cache has responded with 504, because only it might respond and nothing is stored.
    package var isUnsatisfied: Bool { cache == .miss && status == 504 && request.options.cacheMode == .onlyIfCached }

    /// Whether the sender has followed a redirect to another origin, even if a later one led back.
    package var hasLeftOrigin: Bool {
        get { storage.members.hasLeftOrigin }
        _modify { yield &storage.members.hasLeftOrigin }
    }

    /// Whether a redirect has changed the method: a server has processed the request itself.
    package var hasChangedMethod: Bool {
        get { storage.members.hasChangedMethod }
        _modify { yield &storage.members.hasChangedMethod }
    }

    /// Whether the request may be sent again because of this response's 401, with other credentials.
    package var allowsOtherCredentials: Bool { !hasChangedMethod || request.mayBeSentTwice }

    /// Whether the server of this response got the request's credentials: the first origin, before any redirect away
    /// from it.
    package var isOfReceiver: Bool {
        !hasLeftOrigin && (url == request.url || Origin(url) == Origin(request.url))
    }

    /// The body as JSON, once a node of the chain has parsed it; nil again after a change of ``data``. It is outside the
    /// shared storage, so that setting it copies nothing.
    package var readJson: Json?

    /// Creates a response.
    public init(
        request: HttpRequest, url: URL? = nil, status: Int, headers: HttpHeaders = HttpHeaders(),
        data: Data = Data(), file: URL? = nil, bytes: ByteStream? = nil, metrics: TransferMetrics = TransferMetrics()
    ) {
        storage = CopyOnWrite(
            Members(
                request: request, url: url ?? request.url, status: status, headers: headers, data: data,
                file: file, bytes: bytes, metrics: metrics))
    }

    /// The former name of the initializer.
    @available(*, deprecated, renamed: "init(request:url:status:headers:data:file:bytes:metrics:)")
    public init(
        request: HttpRequest, url: URL? = nil, statusCode: Int, headers: HttpHeaders = HttpHeaders(),
        data: Data = Data(), file: URL? = nil, bytes: ByteStream? = nil, metrics: TransferMetrics = TransferMetrics()
    ) {
        self.init(
            request: request, url: url, status: statusCode, headers: headers, data: data, file: file, bytes: bytes,
            metrics: metrics)
    }
}

extension HttpResponse {
    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "data")
    public var body: Data { data }

    /// Unavailable: states how text is read.
    @available(*, unavailable, message: "write String(decoding: response.data, as: UTF8.self)")
    public var text: String { String(decoding: data, as: UTF8.self) }
}

extension HttpResponse: MaskedValue {
    /// The status, the body's size and the request, with secrets masked. Contains no header of the response and no byte
    /// of its body.
    public var description: String {
        "status \(status), \(data.count) bytes, response to \(request)"
    }
}

/// The result of a sending: a response, or the error that prevented it. `RequestSenderNode` passes it on.
public struct DataResponse: Sendable {
    /// The request that was sent.
    public var request: HttpRequest
    /// The response or the error.
    public var result: Result<HttpResponse, any Error>

    /// Creates a response.
    public init(request: HttpRequest, result: Result<HttpResponse, any Error>) {
        self.request = request
        self.result = result
    }
}

extension HttpResponse {
    /// The response with its body at the requested destination: in memory, in a file or as a stream. For senders that
    /// have the whole body. Only the body of an accepted 2xx response goes to a file or a stream.
    ///
    /// - Throws: ``TransportError`` with ``TransportError/Code/destinationFailed``.
    package func delivered() throws(TransportError) -> HttpResponse {
        guard request.options.hasDestination(status), request.method != .head else { return self }
        var response = self
        // They have no content (RFC 9110 §15.3.5, §15.3.6), so a file stays as it is.
        if status == 204 || status == 205 {
            response.data = Data()
            if case .stream = request.options.destination { response.bytes = ByteStream(Data()) }
            return response
        }
        switch request.options.destination {
        case .memory: return self
        case .file(let url, _):
            do throws(BodyFailure) {
                try FileWriter.check(url)
                try TemporaryFile(for: url).write(data)
            } catch {
                throw TransportError(.destinationFailed, of: request, reason: error.description)
            }
            response.file = url
        case .stream: response.bytes = ByteStream(data)
        }
        response.data = Data()
        return response
    }
}

extension HttpResponse {
    /// The number of body bytes in memory: those of the response and of its request.
    package var retainedBytes: Int {
        data.count + request.body.retainedBytes
    }
}
