#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the body of a successful answer (2xx) goes. Any other answer's body is collected in memory whatever is asked
/// for, so that an `HttpError` keeps it.
public enum BodyDestination: Sendable {
    /// Into ``HttpResponse/data``: the default. `limits.responseSize` applies.
    case memory
    /// Into the file at this URL, in place of what is there. The body is written beside it and moved when it is complete.
    /// Memory doesn't grow with the body, and `limits.responseSize` does not apply. A path that can't be written to is
    /// ``TransportError/Code/destinationFailed``, before anything is sent where that can be known.
    ///
    /// The file has the permissions of the one that it replaces. A response without content (204, 205) leaves that one as
    /// it is, and ``HttpResponse/file`` is nil.
    ///
    /// A dedicated queue opens and writes the file: a slow disk holds up no other transfer. The request completes when the
    /// file is whole or closed; a cancel does at once, and so does a time limit while the file is opened.
    ///
    /// Without `resuming` a body that breaks off leaves nothing behind. With it, what has come is kept, also after a
    /// cancel, and the next `GET` of the same URL to the same file, be it a retry or years later, asks for the rest:
    ///
    /// - `Range` with `If-Range` (RFC 9110 §13.1.5, §14.2) makes the server send the rest only of what hasn't changed; all
    ///   of it otherwise, and then the file is begun anew. The answer has the status 206 when it was resumed.
    /// - What is kept is in `<name>.partial`; `<name>.partial-info` says of what. Removing both forgets it. They stay
    ///   while attempts fail, and are gone when the file is whole.
    /// - Only the origin that sent what is kept is asked for the rest; another one, before a redirect, for all.
    /// - Kept is only what can be resumed: a response with a strong `ETag` or a `Last-Modified` of at least a second
    ///   before it (§8.8.1), without a `Content-Encoding`. So none is asked for.
    /// - An answer that doesn't fit what is kept (another place, size or `ETag`, or a 416 of a file that isn't whole)
    ///   makes the sender forget it and ask once more, for all.
    /// - Two downloads to the same file at once are ``TransportError/Code/destinationFailed`` for the second one. A `Range`
    ///   of the request's own is ``TransportError/Code/invalidRequest``. For methods other than `GET` it does nothing.
    case file(URL, resuming: Bool = false)
    /// Into ``HttpResponse/bytes``: the request completes with the headers, and the stream brings the body as it is
    /// read. `limits.responseSize` does not apply. A limit on the time of the whole request covers the reading too.
    case stream
}
