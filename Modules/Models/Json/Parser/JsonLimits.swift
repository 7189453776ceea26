/// What a JSON document may cost at most before parsing it stops with an error.
///
/// The parser keeps no stack of its own calls, so the limits guard memory and what comes after parsing, not the
/// parser itself.
public struct JsonLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and objects; `[[]]` has depth 2. 512, as in Foundation's coders.
    ///
    /// Values above 10,000 count as 10,000: types that decode themselves recursively use the thread's stack.
    public var maximumDepth: Int

    /// The largest document in bytes. 256 MiB by default; values above 1 GiB - 1 count as that.
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
