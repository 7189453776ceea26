/// The limits of a JSON document. Parsing a document that exceeds them fails.
///
/// The parser is not recursive. The limits protect memory and the code that processes the parsed document.
public struct JsonLimits: Sendable {
    /// The deepest nesting of arrays and objects; `[[]]` has depth 2. 512, as in Foundation's coders.
    ///
    /// Values above 10,000 count as 10,000: types that decode themselves recursively use the thread's stack.
    public var maximumDepth: Int

    /// The largest document in bytes. 256 MiB by default; values above 1 GiB - 1 count as 1 GiB - 1.
    public var maximumBytes: Int

    /// Limits with the given values, by default those of the properties' documentation.
    public init(maximumDepth: Int = 512, maximumBytes: Int = 256 << 20) {
        self.maximumDepth = maximumDepth
        self.maximumBytes = maximumBytes
    }

    /// The deepest nesting that any limits allow.
    static let deepest = 10_000
    /// The largest document in bytes that any limits allow.
    static let largest = (1 << 30) - 1

    var effectiveDepth: Int { min(maximumDepth, Self.deepest) }
    var effectiveBytes: Int { min(maximumBytes, Self.largest) }
}
