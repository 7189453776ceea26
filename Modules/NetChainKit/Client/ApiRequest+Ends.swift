public import Models
public import NodeCore
public import ResponseProcessing
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// MARK: - The chain

extension ApiRequest {
    /// The chain of the request, to combine with custom nodes. It can be kept and used any number of times, also
    /// concurrently.
    ///
    /// - Parameter type: the type of the result: a model with two layers, `Json`, `Data`, `String`, or `ApiResponse` of
    ///   such a type.
    public func chain<Value: DTODecodable>(as type: Value.Type = Value.self) -> Node<Void, Value>
    where Value.DTO.Raw: ResponseConvertible {
        chain(Value.DTO.Raw.bodyFormat, Value.model(from:))
    }

    /// The chain of the request for any `Decodable` value.
    @_disfavoredOverload
    public func chain<Value: Decodable & Sendable>(as type: Value.Type = Value.self) -> Node<Void, Value> {
        chain(Value.bodyFormat(responseCoders), decoded())
    }

    /// The chain of the request for any `Decodable` value with the status and the headers.
    @_disfavoredOverload
    public func chain<Value: Decodable & Sendable>(
        as type: ApiResponse<Value>.Type = ApiResponse<Value>.self
    ) -> Node<Void, ApiResponse<Value>> {
        chain(Value.bodyFormat(responseCoders), responding(decoded()))
    }
}

extension ApiRequest {
    private func decoded<Value: Decodable & Sendable>() -> @Sendable (HttpResponse) throws -> Value {
        { [coders = responseCoders] in try Value.decoded(from: $0, by: coders) }
    }
}

// MARK: - async

extension ApiRequest {
    /// Sends the request and returns its value.
    ///
    /// - Parameter type: the type of the result: a model with two layers, `Json`, `Data`, `String`, or `ApiResponse` of
    ///   such a type. An empty body is an empty array or dictionary, or nil.
    /// - Throws: `HttpError` if the status is not accepted. `TechnicalError` or `TransportError` if no whole
    ///   response arrived. `DecodingError` or `ResponseParsingError` if the response is not of the type. `RequestBuildingError`
    ///   if nothing could be sent. `CancellationError` if the task is canceled.
    public func send<Value: DTODecodable>(as type: Value.Type = Value.self) async throws -> Value
    where Value.DTO.Raw: ResponseConvertible {
        try await chain(as: type).executeAsRequest(())
    }

    /// Sends the request and returns any `Decodable` value.
    @_disfavoredOverload
    public func send<Value: Decodable & Sendable>(as type: Value.Type = Value.self) async throws -> Value {
        try await chain(as: type).executeAsRequest(())
    }

    /// Sends the request and returns any `Decodable` value with the status and the headers.
    @_disfavoredOverload
    public func send<Value: Decodable & Sendable>(
        as type: ApiResponse<Value>.Type = ApiResponse<Value>.self
    ) async throws -> ApiResponse<Value> {
        try await chain(as: type).executeAsRequest(())
    }

    /// Sends the request and returns its response with the body as bytes.
    @discardableResult
    public func send() async throws -> ApiResponse<Data> {
        try await chain(as: ApiResponse<Data>.self).executeAsRequest(())
    }

    /// Unavailable: states the requirements of a result type.
    @available(
        *, unavailable,
        message:
            "the result of a request must be Decodable (struct User: Codable), or a DTODecodable model with two layers"
    )
    @_disfavoredOverload
    public func send<Value>(as type: Value.Type = Value.self) async throws -> Value {
        throw CancellationError()
    }

    /// Unavailable: states the requirements of a result type.
    @available(
        *, unavailable,
        message:
            "the result of a request must be Decodable (struct User: Codable), or a DTODecodable model with two layers"
    )
    @_disfavoredOverload
    public func chain<Value: Sendable>(as type: Value.Type = Value.self) -> Node<Void, Value> {
        ClosureNode(name: "Unavailable") { _ in .emit(error: CancellationError()) }
    }

    /// Unavailable: states the requirements of a result type.
    @available(
        *, unavailable,
        message:
            "the result of a request must be Decodable (struct User: Codable), or a DTODecodable model with two layers"
    )
    @_disfavoredOverload
    public func process<Value: Sendable>(as type: Value.Type = Value.self) -> MainActorObserver<Value> {
        Observer.emit(error: CancellationError()).onMain
    }

    /// Unavailable: states how the body and the head of a response are read.
    @available(
        *, unavailable,
        message: """
            send() returns one value: let response = try await request.send(), with response.value for the bytes, \
            response.status and response.headers
            """
    )
    @_disfavoredOverload
    public func send() async throws -> (Data, ApiResponse<Data>) {
        throw CancellationError()
    }
}

// MARK: - Callbacks

extension ApiRequest {
    /// Sends the request. The observer calls its listeners on the main actor.
    @discardableResult
    public func process<Value: DTODecodable>(as type: Value.Type = Value.self) -> MainActorObserver<Value>
    where Value.DTO.Raw: ResponseConvertible {
        chain(as: type).processAsRequest(()).onMain
    }

    /// Sends the request for any `Decodable` value. The observer calls its listeners on the main actor.
    @_disfavoredOverload
    @discardableResult
    public func process<Value: Decodable & Sendable>(as type: Value.Type = Value.self) -> MainActorObserver<Value> {
        chain(as: type).processAsRequest(()).onMain
    }
}

// MARK: - Files and streams

extension ApiRequest {
    /// Downloads the body to a file, which appears when it is complete. Memory use doesn't depend on the size.
    ///
    /// - Parameters:
    ///   - file: the file that receives the complete body.
    ///   - resuming: whether a partial body is kept when a transfer fails, so that the next attempt resumes it: a
    ///     retry, or another request to this file. For a `GET` without a body.
    /// - Returns: the file, with the status and the headers.
    @discardableResult
    public func download(to file: URL, resuming: Bool = false) async throws -> ApiResponse<URL> {
        try await chain(
            .bytes, destination: .file(file, resuming: resuming), responding { try $0.receivedFile }
        ).executeAsRequest(())
    }

    /// Returns the body as a stream of bytes as soon as the headers of an accepted response have arrived.
    public func stream() async throws -> ApiResponse<ByteStream> {
        try await chain(.bytes, destination: .stream, responding { try $0.receivedStream }).executeAsRequest(())
    }
}
