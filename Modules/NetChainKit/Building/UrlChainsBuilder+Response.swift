import Models
import NodeCore
import ResponseProcessing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The forms that give what all others give, in a `ApiResponse`. Where nothing else tells the type, the other forms are
// preferred: `loadData()` alone gives bytes.

extension UrlChainsBuilder {
    /// A chain that takes a model and gives one beside the status and the headers of its answer.
    public func build<Input: DTOEncodable, Output: DTODecodable>() -> Node<Input, ApiResponse<Output>>
    where Input.DTO.Raw == Json, Output.DTO.Raw == Json {
        sending(responding())
    }

    /// A chain that needs no input and gives a model beside the status and the headers of its answer.
    ///
    /// ```swift
    /// let page: ApiResponse<[User]> = try await builder.route(.get, .users).build().execute()
    /// let tag = page.headers["ETag"]
    /// ```
    public func build<Output: DTODecodable>() -> Node<Void, ApiResponse<Output>> where Output.DTO.Raw == Json {
        head(VoidReceivingNode(next: responding()))
    }

    /// A chain that takes a model and gives the status and the headers. The body of the answer isn't looked at.
    @_disfavoredOverload
    public func build<Input: DTOEncodable>() -> Node<Input, ApiResponse<Void>> where Input.DTO.Raw == Json {
        sending(answering { _ in () })
    }

    /// A chain that needs no input and gives the status and the headers, of a `HEAD` for instance. The body of the
    /// answer isn't looked at.
    @_disfavoredOverload
    public func build() -> Node<Void, ApiResponse<Void>> {
        head(VoidReceivingNode(next: answering { _ in () }))
    }

    /// A chain that sends a multipart form and gives a model beside the status and the headers of its answer.
    public func build<Input: DTOEncodable, Output: DTODecodable>() -> Node<Input, ApiResponse<Output>>
    where Input.DTO.Raw == MultipartModel<[String: Data]>, Output.DTO.Raw == Json {
        sending(form: responding())
    }

    /// A chain that sends a multipart form and gives the status and the headers. The body of the answer isn't looked at.
    @_disfavoredOverload
    public func build<Input: DTOEncodable>() -> Node<Input, ApiResponse<Void>>
    where Input.DTO.Raw == MultipartModel<[String: Data]> {
        sending(form: answering { _ in () })
    }

    /// A chain that loads a file and gives its bytes beside the status and the headers.
    @_disfavoredOverload
    public func loadData() -> Node<Void, ApiResponse<Data>> {
        head(VoidReceivingNode(next: answering { $0.data }))
    }

    /// A chain that sends a model and gives the bytes of a file beside the status and the headers.
    @_disfavoredOverload
    public func loadData<Input: DTOEncodable>() -> Node<Input, ApiResponse<Data>> where Input.DTO.Raw == Json {
        sending(answering { $0.data })
    }
}

extension UrlChainsBuilder {
    /// A chain that sends a body as it is, a file, bytes or a stream, and gives a model beside the status and the headers
    /// of its answer. The parameters are those of the form without them.
    public func upload<Output: DTODecodable>(
        contentType: String = "application/octet-stream", onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<RequestBody, ApiResponse<Output>> where Output.DTO.Raw == Json {
        head(.uploadCarrier(next: responding(onProgress: onProgress), contentType: contentType))
    }

    /// A chain that sends a body as it is and gives the status and the headers. The body of the answer isn't looked at.
    @_disfavoredOverload
    public func upload(
        contentType: String = "application/octet-stream", onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<RequestBody, ApiResponse<Void>> {
        head(.uploadCarrier(next: answering(onProgress: onProgress) { _ in () }, contentType: contentType))
    }

    /// A chain that loads a file to disk and gives its place beside the status and the headers. The parameters are those
    /// of the form without them.
    @_disfavoredOverload
    public func download(
        to file: URL, resuming: Bool = false, onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Void, ApiResponse<URL>> {
        let destination = BodyDestination.file(file, resuming: resuming)
        return head(VoidReceivingNode(next: answering(in: destination, onProgress: onProgress) { $0.file }))
    }

    /// A chain that sends a model, loads a file to disk, and gives its place beside the status and the headers.
    @_disfavoredOverload
    public func download<Input: DTOEncodable>(
        to file: URL, onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Input, ApiResponse<URL>> where Input.DTO.Raw == Json {
        sending(answering(in: .file(file), onProgress: onProgress) { $0.file })
    }

    /// A chain that gives the status and the headers of a successful answer as soon as they are there, and the body as a
    /// stream of bytes.
    @_disfavoredOverload
    public func stream() -> Node<Void, ApiResponse<ByteStream>> {
        head(VoidReceivingNode(next: answering(in: .stream) { $0.bytes }))
    }

    /// A chain that sends a model and gives the status, the headers, and the body as a stream of bytes.
    @_disfavoredOverload
    public func stream<Input: DTOEncodable>() -> Node<Input, ApiResponse<ByteStream>> where Input.DTO.Raw == Json {
        sending(answering(in: .stream) { $0.bytes })
    }
}

extension UrlChainsBuilder {
    /// The pipeline with an end that reads JSON, and the model of it beside the answer.
    private func responding<Output: DTODecodable>(
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Json, ApiResponse<Output>> where Output.DTO.Raw == Json {
        let pipeline = pipeline(answer: .jsonAndHead, onProgress: onProgress)
        return service.traced(ApiResponseNode(next: pipeline))
    }

    /// The pipeline with an end that gives the answer itself, and what `take` takes of it beside the rest.
    private func answering<Output>(
        in destination: BodyDestination = .memory, onProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        _ take: @escaping @Sendable (HttpResponse) -> Output?
    ) -> Node<Json, ApiResponse<Output>> {
        receiving(in: destination, onProgress: onProgress) { response in
            take(response).map { ApiResponse(model: $0, of: response) }
        }
    }

    private func sending<Input: DTOEncodable, Output>(_ next: Node<Json, Output>) -> Node<Input, Output>
    where Input.DTO.Raw == Json {
        head(DTOEncoderNode(next: service.traced(RawEncoderNode(next: next))))
    }

    private func sending<Input: DTOEncodable, Output>(form next: Node<Json, Output>) -> Node<Input, Output>
    where Input.DTO.Raw == MultipartModel<[String: Data]> {
        let carrier = service.traced(.multipartCarrier(next: next))
        return head(DTOEncoderNode(next: service.traced(RawEncoderNode(next: carrier))))
    }
}
