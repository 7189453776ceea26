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
        head(UploadNode(next: pipeline(answer: .json, onProgress: onProgress), contentType: contentType))
    }

    /// A chain that sends a body as it is and gives nothing back. The body of the answer isn't looked at.
    public func upload(
        contentType: String = "application/octet-stream", onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<RequestBody, Void> {
        head(VoidUploadNode(next: pipeline(answer: .nothing, onProgress: onProgress), contentType: contentType))
    }
}

/// Starts a chain that sends a body as it is and gives a model.
final class UploadNode<Output: DTODecodable>: Node<RequestBody, Output>, @unchecked Sendable
where Output.DTO.Raw == Json {  // let only
    private let next: Node<Json, Json>
    private let contentType: String

    init(next: Node<Json, Json>, contentType: String) {
        self.next = next
        self.contentType = contentType
    }

    override func process(_ data: RequestBody) -> Observer<Output> {
        next.process(Json(carrying: RawUpload(data, contentType: contentType))).map { raw in
            let entry = try self.mapping(raw) { try Output.DTO.from(raw: $0) }
            return try self.noting { try Output.from(dto: entry) }
        }
    }
}

/// Starts a chain that sends a body as it is and gives nothing back.
final class VoidUploadNode: Node<RequestBody, Void>, @unchecked Sendable {  // let only
    private let next: Node<Json, Json>
    private let contentType: String

    init(next: Node<Json, Json>, contentType: String) {
        self.next = next
        self.contentType = contentType
    }

    override func process(_ data: RequestBody) -> Observer<Void> {
        next.process(Json(carrying: RawUpload(data, contentType: contentType))).map { _ in }
    }
}

/// Starts a chain that sends a body as it is and whose output the nodes behind it make.
final class UploadCarrierNode<Output: Sendable>: Node<RequestBody, Output>, @unchecked Sendable {  // let only
    private let next: Node<Json, Output>
    private let contentType: String

    init(next: Node<Json, Output>, contentType: String) {
        self.next = next
        self.contentType = contentType
    }

    override func process(_ data: RequestBody) -> Observer<Output> {
        next.process(Json(carrying: RawUpload(data, contentType: contentType)))
    }
}
