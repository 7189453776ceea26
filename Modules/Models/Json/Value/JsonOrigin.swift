/// Where a JSON text came from: the response to a request, as a rule. Its description stands in the errors of decoding.
package protocol JsonOrigin: Sendable, CustomStringConvertible {}

/// What may know where its JSON came from.
package protocol JsonOriginKnowing {
    /// Where the JSON came from.
    var origin: (any JsonOrigin)? { get }
}

extension Json: JsonOriginKnowing {
    /// Where the text that this value is a part of came from; nil for a value that was built or changed.
    package var origin: (any JsonOrigin)? {
        view?.document.origin
    }

    /// The same value with another origin, which its elements and members have too. A parsed value isn't copied; a
    /// built one is written and parsed.
    package func with(origin: (any JsonOrigin)?) throws(JsonError) -> Json {
        guard let (document, node) = view else {
            let limits = JsonLimits(maximumDepth: .max, maximumBytes: .max)
            return try Json(parsing: data, limits: limits, origin: origin)
        }
        return Json(.document(JsonDocument(of: document, origin: origin), node: node))
    }
}
