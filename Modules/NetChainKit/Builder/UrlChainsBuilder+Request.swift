import UrlTransport

extension UrlChainsBuilder {
    /// Sets the method and the route of the request.
    @discardableResult
    public func route(_ method: HttpMethod, _ route: Route) -> Self {
        self.method = method
        self.route = route
        return self
    }

    /// Sets the headers of the request. Replaces headers set by an earlier call.
    @discardableResult
    public func set(metadata: [String: String]) -> Self {
        self.metadata = metadata
        return self
    }

    /// Sets how the parameters are encoded; `.json` by default.
    @discardableResult
    public func encode(as encoding: ParametersEncoding) -> Self {
        self.encoding = encoding
        return self
    }

    /// Sets the query that is added to the route's URL. Replaces a query set by an earlier call. A query in the route's
    /// URL stays, and precedes this one.
    ///
    /// Values may be strings, Booleans, numbers, arrays, sets and dictionaries of those, optionals (nil is left out)
    /// and enums with such a raw value. A value of another type fails the chain with
    /// `RequestBuildingError.Code.unsupportedQueryValue`.
    @discardableResult
    public func set(query: [String: Any]) -> Self {
        self.query.set(query: query)
        return self
    }

    /// Sets how Booleans are written in the query; as `1` and `0` by default.
    @discardableResult
    public func set(boolEncodingStrategy: any URLQueryBoolEncodingStrategy) -> Self {
        settings.queryEncoder.boolStrategy = boolEncodingStrategy
        return self
    }

    /// Sets how Booleans are written in the query: `.asInt` or `.asBool`.
    @discardableResult
    public func set(boolEncodingStrategy: URLQueryBoolEncodingDefaultStrategy) -> Self {
        settings.queryEncoder.boolStrategy = boolEncodingStrategy
        return self
    }

    /// Sets how names of arrays are written in the query; with brackets by default.
    @discardableResult
    public func set(arrayEncodingStrategy: any URLQueryArrayKeyEncodingStrategy) -> Self {
        settings.queryEncoder.arrayStrategy = arrayEncodingStrategy
        return self
    }

    /// Sets how names of arrays are written in the query: `.brackets` or `.noBrackets`.
    @discardableResult
    public func set(arrayEncodingStrategy: URLQueryArrayKeyEncodingBracketsStrategy) -> Self {
        settings.queryEncoder.arrayStrategy = arrayEncodingStrategy
        return self
    }

    /// Sets how names of dictionaries' members are written in the query; as `name[member]` by default.
    @discardableResult
    public func set(dictEncodingStrategy: any URLQueryDictionaryKeyEncodingStrategy) -> Self {
        settings.queryEncoder.dictionaryStrategy = dictEncodingStrategy
        return self
    }
}
