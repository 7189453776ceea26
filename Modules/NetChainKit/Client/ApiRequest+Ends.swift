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
    /// The chain of the request, for nodes of your own. It may be kept, and used any number of times at once.
    ///
    /// - Parameter type: what the response becomes: a model with two layers, `Json`, `Data`, `String`, or
    ///   `ApiResponse` of such a type.
    public func chain<Value: DTODecodable>(as type: Value.Type = Value.self) -> Node<Void, Value>
    where Value.DTO.Raw: ResponseConvertible {
        let (builder, payload) = parts()
        return builder.chain(Value.DTO.Raw.bodyFormat, payload, Value.model(from:))
    }

    /// The chain of the request for any `Decodable` value.
    @_disfavoredOverload
    public func chain<Value: Decodable & Sendable>(as type: Value.Type = Value.self) -> Node<Void, Value> {
        let (builder, payload) = parts()
        return builder.chain(builder.bodyFormat(of: Value.self), payload, builder.decoded())
    }

    /// The chain of the request for any `Decodable` value beside the status and the headers.
    @_disfavoredOverload
    public func chain<Value: Decodable & Sendable>(
        as type: ApiResponse<Value>.Type = ApiResponse<Value>.self
    ) -> Node<Void, ApiResponse<Value>> {
        let (builder, payload) = parts()
        return builder.chain(builder.bodyFormat(of: Value.self), payload, responding(builder.decoded()))
    }
}

// MARK: - async

extension ApiRequest {
    /// Sends the request and gives its value.
    ///
    /// - Parameter type: what the response becomes: a model with two layers, `Json`, `Data`, `String`, or
    ///   `ApiResponse` of such a type. An empty body is an empty array or dictionary, or nil.
    /// - Throws: `HttpError` for a status that isn't accepted, `TechnicalError` or `TransportError` where no response
    ///   came, `DecodingError` and `ResponseParsingError` for one that is none of the type, `RequestBuildingError`
    ///   where nothing could be sent, `CancellationError`.
    public func send<Value: DTODecodable>(as type: Value.Type = Value.self) async throws -> Value
    where Value.DTO.Raw: ResponseConvertible {
        try await chain(as: type).execute()
    }

    /// Sends the request and gives any `Decodable` value.
    @_disfavoredOverload
    public func send<Value: Decodable & Sendable>(as type: Value.Type = Value.self) async throws -> Value {
        try await chain(as: type).execute()
    }

    /// Sends the request and gives any `Decodable` value beside the status and the headers.
    @_disfavoredOverload
    public func send<Value: Decodable & Sendable>(
        as type: ApiResponse<Value>.Type = ApiResponse<Value>.self
    ) async throws -> ApiResponse<Value> {
        try await chain(as: type).execute()
    }

    /// Sends the request and gives its response, the body as it came.
    @discardableResult
    public func send() async throws -> ApiResponse<Data> {
        try await chain(as: ApiResponse<Data>.self).execute()
    }

    /// Says what a result must be.
    @available(
        *, unavailable,
        message:
            "the result of a request must be Decodable (struct User: Codable), or a DTODecodable model with two layers"
    )
    @_disfavoredOverload
    public func send<Value>(as type: Value.Type = Value.self) async throws -> Value {
        throw CancellationError()
    }
}

// MARK: - Callbacks

extension ApiRequest {
    /// Sends the request; listeners of the observer are closures on the main actor.
    @discardableResult
    public func process<Value: DTODecodable>(as type: Value.Type = Value.self) -> MainActorObserver<Value>
    where Value.DTO.Raw: ResponseConvertible {
        chain(as: type).process().onMain
    }

    /// Sends the request for any `Decodable` value; listeners of the observer are closures on the main actor.
    @_disfavoredOverload
    @discardableResult
    public func process<Value: Decodable & Sendable>(as type: Value.Type = Value.self) -> MainActorObserver<Value> {
        chain(as: type).process().onMain
    }
}

// MARK: - Files and streams

extension ApiRequest {
    /// Loads the body into a file, which appears when it is complete; memory doesn't grow with it.
    ///
    /// - Parameters:
    ///   - file: where the body goes.
    ///   - resuming: whether a part of the body is kept when a transfer fails, and resumed by the next attempt: a retry,
    ///     or another request to this file. For a `GET` without a body.
    /// - Returns: the file, with the status and the headers.
    @discardableResult
    public func download(to file: URL, resuming: Bool = false) async throws -> ApiResponse<URL> {
        let (builder, payload) = parts()
        return try await builder.downloading(to: .file(file, resuming: resuming), nil, payload).execute()
    }

    /// Gives the body as a stream of bytes as soon as the headers of an accepted response are there.
    public func stream() async throws -> ApiResponse<ByteStream> {
        let (builder, payload) = parts()
        return try await builder.streaming(payload).execute()
    }
}
