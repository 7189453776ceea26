import HttpMessages
public import NodeCore

/// The query of a request and the three strategies that write it.
public struct URLQueryConfigModel: Sendable {
    /// The parameters.
    public var query: [String: QueryValue]
    package var encoder: QueryEncoder
    /// The error of the parameters, if there was one. Every request fails with it.
    var problem: RequestBuildingError?

    package init(query: [String: QueryValue] = [:], encoder: QueryEncoder = QueryEncoder()) {
        self.query = query
        self.encoder = encoder
    }

    /// Creates a query from Swift values. A value of an unsupported type fails every request that uses the query.
    public init(query: [String: Any], encoder: QueryEncoder = QueryEncoder()) {
        self.init(encoder: encoder)
        set(query: query)
    }

    /// Creates a query from the values of a ``UrlQuery``.
    package init(_ query: UrlQuery, encoder: QueryEncoder = QueryEncoder()) {
        self.init(query: query.values, encoder: encoder)
        self.encoder.namedArrayStrategies = query.arrayStrategies
        problem = query.problem
    }

    /// Removes the parameters that are for their origin only.
    package mutating func remove(_ secrets: OriginSecrets) {
        query = query.filter { !secrets.contains(parameter: $0.key, $0.value) }
    }

    /// Adds the values of `other`, which replace those with the same name.
    package mutating func merge(_ other: URLQueryConfigModel) {
        query.merge(other.query) { $1 }
        for name in other.query.keys {
            encoder.namedArrayStrategies[name] = other.encoder.namedArrayStrategies[name]
        }
        problem = problem ?? other.problem
    }

    /// Replaces the parameters with Swift values. A value of an unsupported type fails every request that uses the
    /// query.
    package mutating func set(query: [String: Any]) {
        self.query = [:]
        problem = nil
        for (name, value) in query.sorted(by: { $0.key < $1.key }) {
            do {
                self.query[name] = try QueryValue(value, at: name)
            } catch {
                problem = problem ?? error as? RequestBuildingError
            }
        }
    }

    /// Whether there is nothing to add to a URL.
    package var isEmpty: Bool {
        query.isEmpty && problem == nil
    }

    /// Returns the percent-encoded query.
    ///
    /// - Throws: ``RequestBuildingError``, the error of the parameters.
    package func encoded() throws -> String {
        if let problem { throw problem }
        return encoder.encode(query)
    }
}

extension URLQueryConfigModel: MaskedValue {
    /// The sorted names of the parameters, without their values.
    public var description: String {
        "query of [\(query.keys.sorted().joined(separator: ", "))]"
    }
}
