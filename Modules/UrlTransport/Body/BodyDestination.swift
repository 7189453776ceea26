#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the body of a successful answer (2xx) goes. Any other answer's body is collected in memory whatever is asked
/// for, so that an `HttpError` keeps it.
public enum BodyDestination: Sendable {
    /// Into ``UrlDataResponse/data``: the default. `limits.responseSize` applies.
    case memory
    /// Into the file at this URL, in place of what is there. The body is written beside it, to a name of its own that
    /// ends in `.part`, and moved when it is complete; what is left of a body that broke off is removed. Memory doesn't
    /// grow with the body, and `limits.responseSize` does not apply. A path that can't be written to is
    /// ``TransportError/Code/destinationFailed``, before anything is sent where that can be known.
    case file(URL)
    /// Into ``UrlDataResponse/bytes``: the request completes with the headers, and the stream brings the body as it is
    /// read. `limits.responseSize` does not apply. A limit on the time of the whole request covers the reading too.
    case stream
}
