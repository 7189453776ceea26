package import NodeCore

/// The journal entry of a mapping node that failed to convert a model.
///
/// It conforms to `Error` so that sinks, which don't import `Models`, show it as an error. It is never thrown.
package struct MappingFailure: JournalEntry, Error, CustomStringConvertible {
    package let id: String
    package let error: any Error

    /// A description with the underlying error, in which a logger masks secrets.
    package var description: String {
        "A model could not be mapped: \(error)"
    }
}

extension AnyNode {
    /// Records a mapping error in the current journal, if there is one, and returns the error.
    package func recorded(_ error: any Error) -> any Error {
        Journal.current?.append(MappingFailure(id: name, error: error))
        return error
    }

    /// Maps a raw form. Records an error in the journal, and adds the provenance of the JSON to a `DecodingError`.
    func mapping<Raw, Result>(_ raw: Raw, _ map: (Raw) throws -> Result) throws -> Result {
        try recordingFailure { try mapNamingProvenance(raw, map) }
    }

    /// Returns the result of `body`, and records its error in the journal.
    package func recordingFailure<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw recorded(error)
        }
    }
}

/// Maps a raw form, and adds the provenance of the JSON to a `DecodingError`.
package func mapNamingProvenance<Raw, Result>(_ raw: Raw, _ map: (Raw) throws -> Result) throws -> Result {
    do {
        return try map(raw)
    } catch let error as DecodingError {
        guard let provenance = (raw as? any JsonProvenanceKnowing)?.provenance else { throw error }
        throw error.followed(by: "In \(provenance)")
    }
}
