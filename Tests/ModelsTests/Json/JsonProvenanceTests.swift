import Models
import Testing

struct JsonProvenanceTests {
    private struct Place: JsonProvenance, Equatable {
        let description: String
    }

    private func place(_ json: Json?) -> Place? { json?.provenance as? Place }

    @Test(arguments: ["{}", "[]", "null", "1", "\"a\"", #"{"a": [1, {"b": null}], "a": 2}"#, "12345678901234567890.5"])
    func aParsedValueStaysWhatItIsWithAnotherProvenance(text: String) throws {
        let json = try Json(parsing: text)
        let placed = try json.with(provenance: Place(description: "far")).with(provenance: Place(description: "near"))
        #expect(json.provenance == nil)
        #expect(place(placed)?.description == "near")
        #expect(placed == json)
        #expect(placed.kind == json.kind)
        #expect(placed.data == json.data)
    }

    @Test func aBuiltValueIsReadFromItsText() throws {
        for json in [Json(), [], nil, 1, "a", ["a": [1.5, true]], try Json(encoding: ["a": 1])] as [Json] {
            let placed = try json.with(provenance: Place(description: "here"))
            #expect(place(placed)?.description == "here")
            #expect(placed == json)
        }
        var deep = Json([1])
        for _ in 0..<2000 { deep = Json([deep]) }
        #expect(place(try deep.with(provenance: Place(description: "here")))?.description == "here")
    }

    @Test func elementsAndMembersHaveTheProvenanceAndWhatIsChangedHasNone() throws {
        let json = try Json(parsing: #"{"data": [{"id": 1}]}"#).with(provenance: Place(description: "here"))
        let part = try #require(json["data"]?[0])
        #expect(place(part)?.description == "here")
        #expect(part == ["id": 1])
        var changed = json
        changed["more"] = 1
        #expect(changed.provenance == nil)
        #expect(changed["data"] == json["data"])
    }

    @Test func theTextLivesAsLongAsAnyOfItsValues() throws {
        var part: Json?
        do {
            let json = try Json(parsing: #"{"a": ["a long text, which is in the document's memory"]}"#)
            part = try json.with(provenance: Place(description: "here"))["a"]?[0]
        }
        #expect(part?.string == "a long text, which is in the document's memory")
        #expect(place(part)?.description == "here")
    }

    @Test func aDecodingErrorNamesTheProvenance() throws {
        let json = try Json(parsing: #"{"a": 1}"#).with(provenance: Place(description: "a test"))
        do {
            _ = try mapNamingProvenance(json) { try $0.decode([String: String].self, using: .default) }
            Issue.record("no error")
        } catch {
            #expect("\(error)".contains(" In a test"))
        }
    }
}
