import UrlTransport

extension UrlChainsBuilder {
    /// Sets the method and where the request goes.
    @discardableResult
    public func route(_ method: HttpMethod, _ route: Route) -> Self {
        self.method = method
        self.route = route
        return self
    }

    /// Sets the headers of the request, in place of those set before.
    @discardableResult
    public func set(metadata: [String: String]) -> Self {
        self.metadata = metadata
        return self
    }

    /// Sets how the parameters are encoded; `.json` without it.
    @discardableResult
    public func encode(as encoding: ParametersEncoding) -> Self {
        self.encoding = encoding
        return self
    }

    /// Sets the query that is added to the route's URL, in place of the one set before; a query that the route's URL has
    /// itself stays in front of it.
    ///
    /// Values may be strings, Booleans, numbers, arrays, sets and dictionaries of those, optionals (nil is left out)
    /// and enums with such a raw value. Another type fails the chain with
    /// `RequestBuildingError.Code.unsupportedQueryValue`.
    @discardableResult
    public func set(query: [String: Any]) -> Self {
        self.query.set(query: query)
        return self
    }

    /// Sets how Booleans are written in the query; as `1` and `0` without it.
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

    /// Sets how names of arrays are written in the query; with brackets without it.
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

    /// Sets how names of dictionaries' members are written in the query; as `name[member]` without it.
    @discardableResult
    public func set(dictEncodingStrategy: any URLQueryDictionaryKeyEncodingStrategy) -> Self {
        settings.queryEncoder.dictionaryStrategy = dictEncodingStrategy
        return self
    }
}
