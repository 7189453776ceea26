#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the body of a successful response goes: a 2xx that the chain accepts. The sender collects the body of any other
/// response in memory, so that an `HttpError` keeps it.
public enum BodyDestination: Sendable {
    /// Into ``HttpResponse/data``: the default. `limits.responseSize` applies.
    case memory
    /// Into the file at this URL, which replaces an existing one. The sender writes the body beside it and moves the
    /// complete file into place. Memory use doesn't grow with the body. `limits.responseSize` applies to the body of an
    /// error only.
    ///
    /// A path that can't be written to fails the request with ``TransportError/Code/destinationFailed``. The sender
    /// checks it before it sends anything, as far as that is possible.
    ///
    /// The file gets the permissions of the file that it replaces. A response without content (204, 205) leaves the
    /// existing file unchanged, and ``HttpResponse/file`` is nil.
    ///
    /// A dedicated queue opens and writes the file, so that a slow disk delays no other transfer. The request completes
    /// when the file is complete or closed. A cancel completes it at once, and so does a time limit while the file is
    /// being opened.
    ///
    /// Without `resuming` an incomplete body leaves no file behind. With `resuming` the received part is kept, also
    /// after a cancel. The next `GET` of the same URL to the same file requests the rest, be it a retry or years later:
    ///
    /// - `Range` with `If-Range` (RFC 9110 §13.1.5, §14.2) makes the server send only the rest of an unchanged
    ///   resource. Of a changed one the server sends everything, and the file is restarted. The status of a resumed
    ///   response is 206.
    /// - The received part is in `<name>.partial`; `<name>.partial-info` identifies the resource. Removing both
    ///   discards the part. They stay while attempts fail, and are removed when the file is complete.
    /// - Only the origin that sent the kept part is asked for the rest. Another origin, before a redirect, is asked for
    ///   the whole.
    /// - Only a part that can be resumed is kept. The response needs a strong `ETag`, or a `Last-Modified` at least a
    ///   second before its `Date` (RFC 9110 §8.8.2.2). It must have no `Content-Encoding`, so the request asks for
    ///   `identity`, and no `Accept-Ranges: none`.
    /// - A response that doesn't match the kept part makes the sender discard it and send the request once more, for
    ///   the whole. It doesn't match with another position, size or `ETag`, or with a 416 for an incomplete file.
    /// - Of two simultaneous downloads to the same file the second one fails with
    ///   ``TransportError/Code/destinationFailed``. A `Range` header set by the caller fails with
    ///   ``TransportError/Code/invalidRequest``. For methods other than `GET` the option has no effect.
    case file(URL, resuming: Bool = false)
    /// Into ``HttpResponse/bytes``: the request completes with the headers, and the stream delivers the body as it is
    /// read. `limits.responseSize` applies to the body of an error only. A time limit for the whole request includes the
    /// reading.
    case stream
}
