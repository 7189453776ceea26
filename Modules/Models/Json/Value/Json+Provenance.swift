/// A type whose values may know the provenance of their JSON.
package protocol JsonProvenanceKnowing {
    /// Where the JSON came from.
    var provenance: (any JsonProvenance)? { get }
}

extension Json: JsonProvenanceKnowing {
    /// The provenance of the text that contains this value; nil for a value that was built or changed.
    package var provenance: (any JsonProvenance)? {
        view?.document.provenance
    }
}
