/// The fields in their order, as pairs: `for (name, value) in headers`.
extension HttpHeaders: Sequence {
    /// A name in its original case, and a value.
    public typealias Element = (name: String, value: String)

    /// Returns an iterator over the fields.
    public func makeIterator() -> AnyIterator<Element> {
        var fields = fields.makeIterator()
        return AnyIterator { fields.next().map { ($0.name, $0.value) } }
    }

    /// The number of fields; fields of the same name count each.
    public var count: Int { fields.count }

    /// The number of fields.
    public var underestimatedCount: Int { count }
}

extension HttpHeaders {
    /// Creates headers with these names and values, in this order: `HttpHeaders(headers.filter { $0.name != "Host" })`.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        self.init(fields.map { Field(name: $0.name, value: $0.value) })
    }
}

extension HttpHeaders {
    /// Unavailable: names the subscript.
    @available(*, unavailable, message: "write headers[name] != nil")
    public func contains(_ name: String) -> Bool { false }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write headers.map(\\.name)")
    public var keys: [String] { map(\.name) }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write headers.map(\\.name)")
    public var names: [String] { map(\.name) }

    /// Unavailable: names the property.
    @available(*, unavailable, message: "read response.location: a whole URL")
    public var location: String? { self["Location"] }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "read response.link(\"next\"): a whole URL")
    public func link(rel: String) -> String? { nil }

    /// Unavailable: names the subscript.
    @available(*, unavailable, message: "write headers[\"Content-Type\"]")
    public var contentType: String? { self["Content-Type"] }

    /// Unavailable: names the subscript.
    @available(*, unavailable, message: "write headers[name] = value")
    public mutating func set(_ name: String, _ value: String) {}

    /// Unavailable: names the subscript.
    @available(*, unavailable, message: "write headers[name] = nil")
    public mutating func remove(_ name: String) {}

    /// Unavailable: a name may occur several times.
    @available(*, unavailable, message: "write headers[name], headers.values(of: name) or headers.fields")
    public var dictionary: [String: String] { [:] }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "add(name:value:)")
    public mutating func append(_ name: String, _ value: String) {}
}
