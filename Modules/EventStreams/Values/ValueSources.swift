/// A source that is created when the first value is asked for.
package struct StartingSource<Source: ValueSource>: ValueSource {
    private let start: @Sendable () async throws -> Source
    private var source: Source?

    /// - Parameter start: called once, in the task that asks for the first value.
    package init(_ start: @escaping @Sendable () async throws -> Source) {
        self.start = start
    }

    package mutating func next() async throws -> Source.Element? {
        if source == nil { source = try await start() }
        return try await source?.next()
    }
}

/// The values of another source, each one changed.
package struct MappedSource<Source: ValueSource, Element: Sendable>: ValueSource {
    private var source: Source
    private let transform: @Sendable (Source.Element) throws -> Element

    package init(_ source: Source, _ transform: @escaping @Sendable (Source.Element) throws -> Element) {
        self.source = source
        self.transform = transform
    }

    package mutating func next() async throws -> Element? {
        try await source.next().map(transform)
    }
}
