package import NodeCore

/// What a mapping node tells the journal when a model can't be made into another form; sinks show it as an error.
///
/// It is an error so that sinks, which know no `Models`, show it as one. It is never thrown.
package struct MappingFailure: JournalEntry, Error, CustomStringConvertible {
    /// The name of the node.
    package let id: String
    /// What went wrong.
    package let error: any Error

    /// The error in words; a logger masks secrets in them.
    package var description: String {
        "A model could not be mapped: \(error)"
    }
}

extension AnyNode {
    /// Notes an error of a mapping in the journal, where somebody keeps one, and gives it back.
    package func noted(_ error: any Error) -> any Error {
        Journal.current?.append(MappingFailure(id: name, error: error))
        return error
    }

    /// What `map` makes of a raw form; an error is noted, and names where the JSON came from.
    func mapping<Raw, Result>(_ raw: Raw, _ map: (Raw) throws -> Result) throws -> Result {
        try noting { try mapNamingOrigin(raw, map) }
    }

    /// What `body` returns; an error is noted.
    package func noting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw noted(error)
        }
    }
}

/// What `map` makes of a raw form. A `DecodingError` names where the JSON came from.
package func mapNamingOrigin<Raw, Result>(_ raw: Raw, _ map: (Raw) throws -> Result) throws -> Result {
    do {
        return try map(raw)
    } catch let error as DecodingError {
        guard let origin = (raw as? any JsonOriginKnowing)?.origin else { throw error }
        throw error.followed(by: "In \(origin)")
    }
}
