import Models
import Testing

struct JsonAttachmentTests {
    private let texts = [
        "{}", "[]", "null", "1", "\"a\"", #"{"a": [1, {"b": null}], "a": 2}"#, "12345678901234567890.5",
    ]

    @Test func aParsedValueIsWhatItWasAndTellsWhatTravelsBesideIt() throws {
        for text in texts {
            let json = try Json(parsing: text)
            let carrying = try json.attaching("beside")
            #expect(carrying.attached as? String == "beside")
            #expect(json.attached == nil)
            #expect(carrying == json)
            #expect(carrying.kind == json.kind)
            #expect(carrying.data == json.data)
        }
    }

    @Test func aValueThatWasBuiltIsReadAsItsText() throws {
        for json in [Json(), [], nil, 1, "a", ["a": [1.5, true]], try Json(encoding: ["a": 1])] as [Json] {
            let carrying = try json.attaching(7)
            #expect(carrying.attached as? Int == 7)
            #expect(carrying == json)
        }
        var deep = Json([1])
        for _ in 0..<2000 { deep = Json([deep]) }
        #expect(try deep.attaching(7).attached as? Int == 7)
    }

    @Test func elementsAndMembersHaveItAndWhatIsChangedHasNot() throws {
        let json = try Json(parsing: #"{"data": [{"id": 1}]}"#).attaching("beside")
        let part = try #require(json["data"]?[0])
        #expect(part.attached as? String == "beside")
        #expect(part == ["id": 1])
        #expect(try part.attaching("nearer").attached as? String == "nearer")
        #expect(part.attached as? String == "beside")
        var changed = json
        changed["more"] = 1
        #expect(changed.attached == nil)
        #expect(changed["data"] == json["data"])
    }

    @Test func withoutItAValueIsWhatItWas() throws {
        for text in texts {
            let json = try Json(parsing: text).attaching("far").attaching("near")
            #expect(json.bare.attached == nil)
            #expect(json.bare == json)
            #expect(json.attached as? String == "near")
        }
        let part = try #require(try Json(parsing: #"{"a": [1]}"#).attaching("beside")["a"]).bare
        #expect(part == [1])
        #expect(part[0]?.attached == nil)
        #expect(Json(["a": 1]).bare == ["a": 1])
    }

    @Test func theTextLivesAsLongAsAnyOfItsValues() throws {
        var part: Json?
        do {
            let json = try Json(parsing: #"{"a": ["a long text, which is in the document's memory"]}"#)
            part = try json.attaching([1, 2, 3])["a"]?[0]
        }
        #expect(part?.string == "a long text, which is in the document's memory")
        #expect(part?.attached as? [Int] == [1, 2, 3])
    }
}
