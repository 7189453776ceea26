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
}
