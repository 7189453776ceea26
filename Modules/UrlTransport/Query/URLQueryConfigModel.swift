public import NodeCore

/// The query of a request and the three strategies that write it.
public struct URLQueryConfigModel: Sendable {
    /// The parameters.
    public var query: [String: QueryValue]
    /// The three strategies.
    public var encoder: QueryEncoder
    /// What was wrong with the parameters, if anything was: the error of every request.
    var problem: RequestBuildingError?

    /// Creates a query.
    public init(query: [String: QueryValue] = [:], encoder: QueryEncoder = QueryEncoder()) {
        self.query = query
        self.encoder = encoder
    }

    /// Creates it of Swift values. One of a type that has no place in a query becomes the error of every request that
    /// uses it.
    public init(query: [String: Any], encoder: QueryEncoder = QueryEncoder()) {
        self.init(encoder: encoder)
        set(query: query)
    }

    /// Creates it of the values of a query.
    package init(_ query: UrlQuery, encoder: QueryEncoder = QueryEncoder()) {
        self.init(query: query.values, encoder: encoder)
        problem = query.problem
    }

    /// Adds the values of `other`, which replace those of the same names.
    package mutating func merge(_ other: URLQueryConfigModel) {
        query.merge(other.query) { $1 }
        problem = problem ?? other.problem
    }

    /// Replaces the parameters by Swift values. One of a type that has no place in a query becomes the error of every
    /// request that uses it.
    public mutating func set(query: [String: Any]) {
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
    public var isEmpty: Bool {
        query.isEmpty && problem == nil
    }

    /// The query as it's added to a URL.
    package func encoded() throws -> String {
        if let problem { throw problem }
        return encoder.encode(query)
    }
}

extension URLQueryConfigModel: MaskedValue {
    /// The names of the parameters, in their order. No value.
    public var description: String {
        "query of [\(query.keys.sorted().joined(separator: ", "))]"
    }
}
