/// A source that is created when the first value is asked for.
package struct DeferredValues<Element: Sendable>: ValueSource {
    private var source: (any ValueSource<Element>)?
    private let open: @Sendable () async throws -> any ValueSource<Element>

    /// - Parameter open: called once, in the task that asks for the first value.
    package init(_ open: @escaping @Sendable () async throws -> any ValueSource<Element>) {
        self.open = open
    }

    package mutating func ready() throws -> Element? {
        try source?.ready()
    }

    package mutating func next() async throws -> Element? {
        if source == nil { source = try await open() }
        return try await source?.next()
    }
}

/// The values of another source, each one changed.
package struct MappedValues<Source: ValueSource, Element: Sendable>: ValueSource {
    private var source: Source
    private let transform: @Sendable (Source.Element) throws -> Element

    package init(_ source: Source, _ transform: @escaping @Sendable (Source.Element) throws -> Element) {
        self.source = source
        self.transform = transform
    }

    package mutating func ready() throws -> Element? {
        try source.ready().map(transform)
    }

    package mutating func next() async throws -> Element? {
        try await source.next().map(transform)
    }
}
