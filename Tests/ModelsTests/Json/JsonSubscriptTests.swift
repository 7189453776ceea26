import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Subscripts of large, nested and changing values.
struct JsonSubscriptTests {
    /// An object is a list of pairs here, which does everything the plain way.
    @Test func randomChangesOfAnObjectKeepOrderAndValues() {
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<60 {
            var json = Json()
            var pairs: [(key: String, value: Int)] = []
            for step in 0..<Int.random(in: 1...120, using: &generator) {
                let key = "k\(Int.random(in: 0..<40, using: &generator))"
                let place = pairs.firstIndex { $0.key == key }
                if generator.chance(2) {
                    json[key] = Json(step)
                    if let place { pairs[place].value = step } else { pairs.append((key, step)) }
                } else {
                    json[key] = nil
                    if let place { pairs.remove(at: place) }
                }
                #expect(json[key]?.int == pairs.first { $0.key == key }?.value)
            }
            #expect(json.count == pairs.count)
            #expect(json.members.map(\.key) == pairs.map(\.key))
            #expect(json.members.map(\.value.int) == pairs.map(\.value))
        }
    }

    @Test func largeParsedValuesAreFoundByIndexAndKey() throws {
        let text = "[" + (0..<200).map { "[\($0),{}]" }.joined(separator: ",") + "]"
        let array = try Json(parsing: text)
        #expect((0..<200).map { array[$0]?[0]?.int } == (0..<200).map { $0 })
        #expect(array[200] == nil)
        #expect(array[-1] == nil)
        #expect(try Json(parsing: "[0,1,2]")[2] == 2)
        let members = (0..<200).map { #""k\#($0 % 150)":[\#($0)]"# } + [#""\u006b7":"escaped""#]
        let object = try Json(parsing: "{" + members.joined(separator: ",") + "}")
        #expect(object["k0"] == [150])
        #expect(object["k149"] == [149])
        #expect(object["k7"] == "escaped")
        #expect(object["k150"] == nil)
        #expect(object["k"] == nil)
    }

    @Test func aChangeInsideOfAMemberStaysInItsPlace() throws {
        var json = try Json(parsing: #"{"a":{"b":[1,2]},"c":3}"#)
        json["a"]?["b"]?.append(4)
        json["a"]?["d"] = 5
        json["a"]?["b"]?[0] = nil
        #expect(json == ["a": ["b": [2, 4], "d": 5], "c": 3])
        #expect(json.members.map(\.key) == ["a", "c"])
        json["a"]?["b"]?[1]? = 6
        #expect(json["a"]?["b"] == [2, 6])
    }

    @Test func aChangeInsideOfWhatIsNotThereChangesNothing() throws {
        let text = #"{ "a" : [ 1 ] }"#
        var json = try Json(parsing: text)
        json["x"]?["b"] = 1
        json["a"]?[3]?.append(1)
        json[0]?.append(1)
        #expect(json == ["a": [1]])
        var array = try Json(parsing: "[ 1 ]")
        array[5]?["b"] = 1
        array["a"]?.append(1)
        #expect(String(decoding: array.data, as: UTF8.self) == "[ 1 ]")
    }

    @Test func aChangeThatThrowsKeepsTheMember() {
        struct Failure: Error {}
        func fail(_ json: inout Json?) throws { throw Failure() }
        var json: Json = ["a": [1], "b": 2]
        #expect(throws: Failure.self) { try fail(&json["a"]) }
        #expect(throws: Failure.self) { try fail(&json["x"]) }
        #expect(json == ["a": [1], "b": 2])
    }
}
