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
    func noted(_ error: any Error) -> any Error {
        Journal.current?.append(MappingFailure(id: name, error: error))
        return error
    }

    /// What `map` makes of an answer's raw form; an error is recorded. A `DecodingError` gets the source of the text.
    func mapping<Raw, Result>(_ raw: Raw, _ map: (Raw) throws -> Result) throws -> Result {
        do {
            return try map(raw)
        } catch let error as DecodingError {
            guard let origin = (raw as? Json)?.view?.document.origin else { throw noted(error) }
            throw noted(error.followed(by: "In \(origin())"))
        } catch {
            throw noted(error)
        }
    }

    /// The model of an answer's raw form, by way of its entry. What the model itself throws is its own affair and passes
    /// unchanged; either error is noted.
    package func model<Model: DTODecodable>(from raw: Json) throws -> Model where Model.DTO.Raw == Json {
        let entry = try mapping(raw) { try Model.DTO.from(raw: $0) }
        do {
            return try Model.from(dto: consume entry)
        } catch {
            throw noted(error)
        }
    }

    /// What `body` returns; an error is noted.
    func noting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw noted(error)
        }
    }
}
