import Models
import NodeCore
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UrlChainsBuilder {
    /// A chain that sends a body as it is, a file, bytes or a stream, and gives a model.
    ///
    /// ```swift
    /// let chain: Node<RequestBody, Photo> = builder.route(.put, .photo(1)).upload(contentType: "image/jpeg")
    /// let photo = try await chain.execute(.file(url))
    /// ```
    ///
    /// Memory doesn't grow with a file or a stream. A stream can be sent once (see `RequestBody.stream`), all others any
    /// number of times.
    ///
    /// - Parameters:
    ///   - contentType: the body's media type, unless the metadata name one.
    ///   - onProgress: as `RequestOptions.onProgress`, and in place of it.
    public func upload<Output: DTODecodable>(
        contentType: String = "application/octet-stream", onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<RequestBody, Output> where Output.DTO.Raw == Json {
        head(.upload(next: pipeline(answer: .json, onProgress: onProgress), contentType: contentType))
    }

    /// A chain that sends a body as it is and gives nothing back. The body of the answer isn't looked at.
    public func upload(
        contentType: String = "application/octet-stream", onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<RequestBody, Void> {
        head(.voidUpload(next: pipeline(answer: .nothing, onProgress: onProgress), contentType: contentType))
    }
}
