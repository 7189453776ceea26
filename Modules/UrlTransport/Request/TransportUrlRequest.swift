public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An HTTP request as the request-building nodes leave it: all that the application said about it.
///
/// What is added for one sending only, as an access token, comes later, in ``RequestCreatorNode``; so this value can be
/// sent again.
public struct TransportUrlRequest: AdmissionCarrying {
    /// The method.
    public var method: Method
    /// Where it goes, query included.
    public var url: URL
    /// The headers.
    public var headers: HttpHeaders
    /// The body.
    public var body: RequestBody
    /// Which sending of the same request this is, counted from 1.
    public var attempt: Int
    /// What the gates gave that admitted the request.
    package var admissions: [any Admission] = []

    /// Makes it.
    public init(
        method: Method, url: URL, headers: HttpHeaders = HttpHeaders(), body: RequestBody = .empty, attempt: Int = 1
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.attempt = attempt
    }
}

extension TransportUrlRequest: MaskedValue {
    /// Method, URL and the body's size; secrets masked.
    public var description: String {
        RawUrlRequest(self, options: RequestOptions()).description
    }
}

extension RawUrlRequest {
    init(_ request: TransportUrlRequest, options: RequestOptions) {
        self.init(
            method: request.method, url: request.url, headers: request.headers, body: request.body,
            attempt: request.attempt, options: options)
        // Where a gate's node takes no request that could keep it, the run has it.
        var admissions = request.admissions
        admissions.merge(Run.current?.admissions ?? [])
        if !admissions.isEmpty { self.admissions = admissions }
    }
}
