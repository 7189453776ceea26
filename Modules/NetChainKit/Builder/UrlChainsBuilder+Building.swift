import Models
import NodeCore
import ResponseProcessing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The types of a chain. `DTOEncodable` and `DTODecodable` types have two layers; any other `Codable` type is its only
// layer.

extension UrlChainsBuilder {
    /// The default chain, which takes a model and returns one.
    public func build<Input: DTOEncodable, Output: DTODecodable>(
        _ type: Output.Type = Output.self
    ) -> Node<Input, Output> where Input.DTO.Raw: RequestConvertible, Output.DTO.Raw: ResponseConvertible {
        chain(Output.DTO.Raw.bodyFormat) { next in
            let payload = PayloadNode<Input.DTO.Raw, Output.DTO.Raw>(next: next)
            let mapper = DTOMapperNode<Input.DTO, Output.DTO>(next: payload)
            return ModelInputNode<Input, Output>(next: mapper)
        }
    }

    /// A chain without input that returns a model: the usual `GET`. No body is sent.
    public func build<Output: DTODecodable>(_ type: Output.Type = Output.self) -> Node<Void, Output>
    where Output.DTO.Raw: ResponseConvertible {
        chain(Output.DTO.Raw.bodyFormat, { .none }, Output.model(from:))
    }

    /// A chain that takes a model and returns nothing. The body of the response is ignored.
    public func build<Input: DTOEncodable>(_ type: Void.Type = Void.self) -> Node<Input, Void>
    where Input.DTO.Raw: RequestConvertible {
        chain(.bytes, payload(of:)) { _ in () }
    }

    /// A chain without input that returns nothing. The body of the response is ignored.
    @_disfavoredOverload
    public func build(_ type: Void.Type = Void.self) -> Node<Void, Void> {
        chain(.bytes, { .none }) { _ in () }
    }

    /// Deprecated: warns that the result type of the chain cannot be inferred.
    @available(
        *, deprecated,
        message: "nothing says what the chain gives: build(User.self), or build(Void.self) for nothing"
    )
    public func build() -> Node<Void, ChooseAResultType> {
        chain(.bytes, { .none }) { _ in ChooseAResultType() }
    }

    /// A chain without input that returns a `Decodable` value.
    @_disfavoredOverload
    public func build<Output: Decodable & Sendable>(_ type: Output.Type = Output.self) -> Node<Void, Output> {
        chain(bodyFormat(of: Output.self), { .none }, decoded())
    }

    /// A chain that takes a model and returns a `Decodable` value.
    @_disfavoredOverload
    public func build<Input: DTOEncodable, Output: Decodable & Sendable>(
        _ type: Output.Type = Output.self
    ) -> Node<Input, Output> where Input.DTO.Raw: RequestConvertible {
        chain(bodyFormat(of: Output.self), payload(of:), decoded())
    }

    /// A chain that takes an `Encodable` value and returns a model.
    @_disfavoredOverload
    public func build<Input: Encodable & Sendable, Output: DTODecodable>(
        _ type: Output.Type = Output.self
    ) -> Node<Input, Output> where Output.DTO.Raw: ResponseConvertible {
        chain(Output.DTO.Raw.bodyFormat, encoded(), Output.model(from:))
    }

    /// A chain that takes an `Encodable` value and returns a `Decodable` one.
    @_disfavoredOverload
    public func build<Input: Encodable & Sendable, Output: Decodable & Sendable>(
        _ type: Output.Type = Output.self
    ) -> Node<Input, Output> {
        chain(bodyFormat(of: Output.self), encoded(), decoded())
    }

    /// A chain that takes an `Encodable` value and returns nothing.
    @_disfavoredOverload
    public func build<Input: Encodable & Sendable>(_ type: Void.Type = Void.self) -> Node<Input, Void> {
        chain(.bytes, encoded()) { _ in () }
    }

    /// A chain without input that returns a `Decodable` value with the status and the headers.
    @_disfavoredOverload
    public func build<Value: Decodable & Sendable>(
        _ type: ApiResponse<Value>.Type = ApiResponse<Value>.self
    ) -> Node<Void, ApiResponse<Value>> {
        chain(bodyFormat(of: Value.self), { .none }, responding(decoded()))
    }

    /// A chain that takes a model and returns a `Decodable` value with the status and the headers.
    @_disfavoredOverload
    public func build<Input: DTOEncodable, Value: Decodable & Sendable>(
        _ type: ApiResponse<Value>.Type = ApiResponse<Value>.self
    ) -> Node<Input, ApiResponse<Value>> where Input.DTO.Raw: RequestConvertible {
        chain(bodyFormat(of: Value.self), payload(of:), responding(decoded()))
    }

    /// A chain that takes an `Encodable` value and returns a `Decodable` one with the status and the headers.
    @_disfavoredOverload
    public func build<Input: Encodable & Sendable, Value: Decodable & Sendable>(
        _ type: ApiResponse<Value>.Type = ApiResponse<Value>.self
    ) -> Node<Input, ApiResponse<Value>> {
        chain(bodyFormat(of: Value.self), encoded(), responding(decoded()))
    }
}

extension UrlChainsBuilder {
    /// A chain that loads the body of the response as bytes, without parsing it.
    public func loadData() -> Node<Void, Data> {
        build()
    }

    /// A chain that sends a model and loads bytes.
    public func loadData<Input: DTOEncodable>() -> Node<Input, Data> where Input.DTO.Raw: RequestConvertible {
        build()
    }

    /// A chain that downloads the body to a file and returns the file's URL. Memory use doesn't depend on the size. See
    /// `BodyDestination.file`.
    ///
    /// - Parameters:
    ///   - file: the file that receives the complete body.
    ///   - resuming: whether a partial body is kept when a transfer fails, so that the next attempt resumes it: a retry
    ///     of `retry(_:)`, or another run of such a chain.
    ///   - onProgress: the progress handler, as `RequestOptions.onProgress`. It replaces the builder's handler.
    public func download(
        to file: URL, resuming: Bool = false, onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Void, ApiResponse<URL>> {
        downloading(to: .file(file, resuming: resuming), onProgress) { .none }
    }

    /// A chain that sends a model and downloads the body to a file. Transfers are not resumed: a request with
    /// parameters in its body is not a plain `GET`.
    public func download<Input: DTOEncodable>(
        to file: URL, onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Input, ApiResponse<URL>> where Input.DTO.Raw: RequestConvertible {
        downloading(to: .file(file), onProgress, payload(of:))
    }

    /// A chain that returns the body as a stream of bytes, as soon as the headers of a successful response have
    /// arrived.
    public func stream() -> Node<Void, ApiResponse<ByteStream>> {
        streaming { .none }
    }

    /// A chain that sends a model and returns the body as a stream of bytes.
    public func stream<Input: DTOEncodable>() -> Node<Input, ApiResponse<ByteStream>>
    where Input.DTO.Raw: RequestConvertible {
        streaming(payload(of:))
    }

    func downloading<Input>(
        to destination: BodyDestination, _ onProgress: (@Sendable (TransferProgress) -> Void)?,
        _ payload: @escaping @Sendable (Input) throws -> RequestPayload
    ) -> Node<Input, ApiResponse<URL>> {
        chain(.bytes, destination: destination, onProgress: onProgress, payload, responding { try $0.receivedFile })
    }

    func streaming<Input>(
        _ payload: @escaping @Sendable (Input) throws -> RequestPayload
    ) -> Node<Input, ApiResponse<ByteStream>> {
        chain(.bytes, destination: .stream, payload, responding { try $0.receivedStream })
    }
}

extension UrlChainsBuilder {
    func encoded<Input: Encodable & Sendable>() -> @Sendable (Input) throws -> RequestPayload {
        { [encoding = settings.bodyEncoding] in try encoding.payload(of: $0) }
    }

    func decoded<Output: Decodable & Sendable>() -> @Sendable (HttpResponse) throws -> Output {
        { [coders = settings.responseCoders] in try Output.decoded(from: $0, by: coders) }
    }

    func bodyFormat<Output: Decodable>(of type: Output.Type) -> BodyFormat {
        type.bodyFormat(settings.responseCoders)
    }

    /// Builds a chain of this builder.
    ///
    /// - Parameters:
    ///   - format: how the body of a response is processed.
    ///   - acceptsNotModified: whether the output may be made of a response with status 304 although its type doesn't
    ///     say so.
    ///   - models: the nodes between the input and the payload, and between the response and the output.
    func chain<Input, Output>(
        _ format: BodyFormat, destination: BodyDestination = .memory, acceptsNotModified: Bool = false,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        models: (Node<RequestPayload, HttpResponse>) -> Node<Input, Output>
    ) -> Node<Input, Output> {
        var settings = settings
        settings.sender = settings.sender ?? serviceChain.sender
        if let onProgress { settings.onProgress = onProgress }
        settings.limitStatuses(
            to: format, tellsNotModified: acceptsNotModified || tellsNotModified(Output.self))
        let order = ChainOrder(settings, format, destination)
        return order.chain(models: models(requestPart(order)))
    }

    /// Builds a chain with one node between its types and HTTP.
    func chain<Input, Output>(
        _ format: BodyFormat, destination: BodyDestination = .memory, acceptsNotModified: Bool = false,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        _ payload: @escaping @Sendable (Input) throws -> RequestPayload,
        _ output: @escaping @Sendable (HttpResponse) throws -> Output
    ) -> Node<Input, Output> {
        chain(
            format, destination: destination, acceptsNotModified: acceptsNotModified, onProgress: onProgress
        ) { next in
            PayloadNode(next: next, payload: payload, output: output)
        }
    }
}

/// The result of a chain whose result type cannot be inferred. The compiler warns about it.
public struct ChooseAResultType: Sendable {}
