extension ApiRequest {
    /// Deprecated: sends the request and decodes its value on the caller's actor. The compiler selects it for a type whose
    /// conformance to `Decodable` is isolated to that actor, as in a module that defaults to the main actor, and for a
    /// type that isn't `Sendable`.
    ///
    /// The log has no line of the decoding. No other function of a request takes such a type.
    @available(
        *, deprecated,
        message: """
            the value is decoded on this actor, because the type is bound to it or isn't Sendable: declare it as \
            nonisolated struct User: Codable, Sendable
            """
    )
    @_disfavoredOverload
    public func send<Value: Decodable>(
        as type: Value.Type = Value.self, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        let coders = settings.responseCoders
        let response = try await chain(
            Value.bodyFormat(coders), acceptsNotModified: tellsNotModified(Value.self)
        ) { $0 }.executeAsRequest(())
        return try Value.decoded(from: response, by: coders)
    }
}
