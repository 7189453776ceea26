import EventStreams
import Foundation
import Models
import TestSupport
import Testing

struct JsonElementParserTests {
    /// The elements of a document in one piece, byte by byte, and in pieces of three bytes, which must be the same.
    private func elements(_ text: String, at path: [String] = [], limit: Int = 1_000) throws -> [Json] {
        let bytes = Data(text.utf8)
        let results = [max(1, bytes.count), 1, 3].map { size in
            Result { try elements(bytes, piece: size, at: path, limit: limit) }
        }
        let texts = results.map { "\($0)" }
        #expect(texts.allSatisfy { $0 == texts[0] }, "\(texts)")
        return try results[0].get()
    }

    private func elements(_ bytes: Data, piece: Int, at path: [String], limit: Int) throws -> [Json] {
        var parser = JsonElementParser(path: path, limit: limit)
        var elements: [Json] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            parser.push(bytes[start..<min(start + piece, bytes.count)])
            while let element = try parser.next() { elements.append(element) }
        }
        try parser.finish()
        #expect(parser.count == elements.count)
        return elements
    }

    @Test(arguments: [
        "[]", " [ ] \r\n\t", "[1]", "[1,2]", "[ 1 , 2 ]", #"["a","b\"]","\\"]"#, "[[],[[1]],{}]",
        #"[{"a":[1,{"b":"}]"}]},null,true,false,-1.5e3]"#, #"["é\u00e9😀"]"#, "[0]\n",
    ])
    func theElementsAreThoseOfTheDocument(text: String) throws {
        #expect(try Json(elements(text)) == Json(parsing: text))
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try elements("\u{FEFF}[1]") == [1])
    }

    @Test(
        arguments: [
            (#"{"items":[1,2]}"#, ["items"], [1, 2]),
            (#"{"a":{"items":[0]},"items":[1],"z":[[{}],"]"]}"#, ["items"], [1]),
            (#"{"a":1,"b":{"c":false,"d":[3]},"e":{}}"#, ["b", "d"], [3]),
            (#"{"it\u0065ms":[4]}"#, ["items"], [4]),
            (#"{"":[5]}"#, [""], [5]),
            (#"{"items":[6],"items":[7]}"#, ["items"], [6]),
            (#"{"itemsitemsitemsitemsitemsitemsitems":[0],"items":[8]}"#, ["items"], [8]),
            (#"{"\u00e9":[9]}"#, ["é"], [9]),
            (#"{"e\u0301":[0],"\u00e9":[9]}"#, ["é"], [9]),
            (#" { "a" : [ { "items" : [ 1 ] } ] , "items" : [ ] } "#, ["items"], []),
        ] as [(String, [String], [Json])])
    func theArrayIsAtAPathOfKeys(text: String, path: [String], expected: [Json]) throws {
        #expect(try elements(text, at: path) == expected)
    }

    @Test(arguments: [
        ("[1 2]", "a comma or the end of the array is expected"), ("[1,]", "an element is expected"),
        ("[,1]", "an element is expected"), ("[1}", "a comma or the end of the array is expected"),
        ("[1]]", "more than white space follows the document"), ("[1] x", "more than white space follows the document"),
        ("[1],", "more than white space follows the document"), ("x", "a value is expected"),
        ("\u{FEFF}\u{FEFF}[]", "a value is expected"),
    ])
    func aMalformedArrayIsAnError(text: String, reason: String) throws {
        let error = thrown(ValueStreamError.self) { try elements(text) }
        #expect(error?.code == .invalidJson)
        #expect(error?.reason.hasSuffix(": \(reason).") == true, "\(String(describing: error))")
    }

    /// What lies outside of the elements, with the array at `items`.
    @Test(arguments: [
        #"{"a" 1,"items":[]}"#, #"{"a":,"items":[]}"#, #"{"a":[1}],"items":[]}"#, #"{"a":{]},"items":[]}"#,
        #"{"a":1 "items":[]}"#, #"{a:1,"items":[]}"#, #"{"items":[],}"#, #"{"items":[]]"#, #"{"items":[],"b":[1,]}"#,
        #"{"items":[],"b":{"c"}}"#, #"{"items":[],"b":x}"#, #"{"items":[]}{}"#, #"{,"items":[]}"#, #"{"it\qems":[]}"#,
    ])
    func aMalformedDocumentAroundTheArrayIsAnError(text: String) throws {
        let error = thrown(ValueStreamError.self) { try elements(text, at: ["items"]) }
        #expect(error?.code == .invalidJson, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("{}", ["items"], #"The document has no member "items"."#),
        (#"{"a":{"b":1}}"#, ["a", "c"], #"The value at "a" has no member "c"."#),
        (#"{"items":{}}"#, ["items"], #"The value at "items" is no array."#),
        (#"{"a":{"b":"x"}}"#, ["a", "b"], #"The value at "a.b" is no array."#),
        (#"{"a":[1]}"#, ["a", "b"], #"The value at "a" is no object, so it has no member "b"."#),
        ("{}", [], "The document is no array."),
        ("[]", ["items"], #"The document is no object, so it has no member "items"."#),
        (#"{"a":{},"a":{"b":[]}}"#, ["a", "b"], #"The value at "a" has no member "b"."#),
    ])
    func aDocumentWithoutTheArrayIsAnErrorThatNamesThePath(text: String, path: [String], reason: String) throws {
        let error = thrown(ValueStreamError.self) { try elements(text, at: path) }
        #expect(error?.code == .invalidJson)
        #expect(error?.reason == reason)
    }

    @Test(arguments: ["", " ", "[", "[1", "[1,", "[\"a", "[{\"a\":[1]", "[\"\\"])
    func aBodyThatEndsEarlyIsIncomplete(text: String) throws {
        #expect(thrown(ValueStreamError.self) { try elements(text) }?.code == .incomplete)
    }

    @Test(arguments: ["{", #"{"items""#, #"{"items":"#, #"{"items":[]"#, #"{"items":[],"b":"#, #"{"items":[],"b":12"#])
    func aBodyThatEndsOutsideOfTheArrayIsIncomplete(text: String) throws {
        #expect(thrown(ValueStreamError.self) { try elements(text, at: ["items"]) }?.code == .incomplete)
    }

    @Test(arguments: [("[12x]", 0), ("[1,nul]", 1), (#"[1,2,"\q"]"#, 2), (#"[{"a":[1}]}]"#, 0), ("[1,{]}]", 1)])
    func aMalformedElementIsAnErrorWithItsIndex(text: String, index: Int) throws {
        let error = thrown(ValueStreamError.self) { try elements(text) }
        #expect(error?.code == .invalidJson)
        #expect(error?.reason.hasPrefix("Element \(index): Invalid JSON") == true, "\(String(describing: error))")
    }

    @Test func anElementIsBounded() throws {
        #expect(try elements(#"["12","1234"]"#, limit: 6) == ["12", "1234"])
        let error = thrown(ValueStreamError.self) { try elements(#"["12","1234"]"#, limit: 5) }
        #expect(error?.code == .elementTooLong)
        #expect(error?.reason == "An element is longer than 5 bytes, the limit of the stream.")
    }

    @Test func anElementWithoutEndIsBounded() throws {
        var parser = JsonElementParser(limit: 1_000)
        parser.push(Data("[".utf8))
        let error = thrown(ValueStreamError.self) {
            for _ in 0..<20 {
                parser.push(Data(repeating: UInt8(ascii: "["), count: 100))
                _ = try parser.next()
            }
        }
        #expect(error?.code == .elementTooLong)
        #expect(thrown(ValueStreamError.self) { try parser.next() }?.code == .elementTooLong)
    }

    @Test func theDepthOutsideOfTheElementsIsBounded() throws {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        #expect(try elements(#"{"a":\#(deep(511)),"items":[1]}"#, at: ["items"]) == [1])
        let error = thrown(ValueStreamError.self) { try elements(#"{"a":\#(deep(512)),"items":[]}"#, at: ["items"]) }
        #expect(error?.reason.hasSuffix("it is nested deeper than 512.") == true)
    }

    @Test func bytesMayBePushedBeforeTheLastOnesAreTaken() throws {
        var parser = JsonElementParser()
        for piece in ["[1,", "2,\"", "a\"", "]"] { parser.push(Data(piece.utf8)) }
        var elements: [Json] = []
        while let element = try parser.next() { elements.append(element) }
        try parser.finish()
        #expect(elements == [1, 2, "a"])
    }
}
