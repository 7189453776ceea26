/// A type whose values may know the origin of their JSON.
package protocol JsonOriginKnowing {
    /// Where the JSON came from.
    var origin: (any JsonOrigin)? { get }
}

extension Json: JsonOriginKnowing {
    /// The origin of the text that contains this value; nil for a value that was built or changed.
    package var origin: (any JsonOrigin)? {
        view?.document.origin
    }
}
