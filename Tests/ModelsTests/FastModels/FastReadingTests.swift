import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct FastReadingTests {
    private func read<Value: JsonReadable>(_ type: Value.Type = Value.self, _ text: String) throws -> Value {
        try JsonDecoder().decode(type, from: Data(text.utf8))
    }

    private func path(_ error: DecodingError?) -> [String]? {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map { $0.intValue?.description ?? $0.stringValue }
        default: nil
        }
    }

    /// Reads by a closure, which a type can't have.
    private func read<Value>(
        _ text: String, by body: @escaping (inout JsonInput) throws -> Value
    ) throws -> Value {
        try Reader.$body.withValue(Reader.Body(read: { try body(&$0) })) {
            guard let value = try read(Reader.self, text).value as? Value else { throw CancellationError() }
            return value
        }
    }

    private struct Reader: JsonReadable {
        struct Body: @unchecked Sendable {  // used by one thread
            let read: (inout JsonInput) throws -> Any
        }

        @TaskLocal static var body = Body { _ in () }
        let value: Any

        init(json: inout JsonInput) throws { value = try Self.body.read(&json) }
    }

    // MARK: - Members

    @Test func membersOfMembers() throws {
        let text = #"{"user": {"address": {"city": "Kazan", "zip": null}, "tags": []}, "none": null}"#
        #expect(try read(text) { try $0["user", "address", "city"] } == "Kazan")
        #expect(try read(text) { try $0["user", "tags"] } == [Int]())
        #expect(try read(text) { try $0["user", "address", "zip"] as String? } == nil)
        #expect(try read(text) { try $0["user", "missing", "zip"] as String? } == nil)
        #expect(try read(text) { try $0["none", "zip"] as String? } == nil)
        #expect(try read(text) { try $0["missing", "zip", default: 7] } == 7)
        let missing = thrown(DecodingError.self) {
            try read(text) { try $0["user", "missing", "zip"] as String }
        }
        #expect(path(missing) == ["user"])
        let null = thrown(DecodingError.self) { try read(text) { try $0["none", "zip"] as String } }
        #expect(path(null) == ["none"])
        let wrong = thrown(DecodingError.self) { try read(text) { try $0["user", "tags", "x"] as Int? } }
        #expect(path(wrong) == ["user", "tags"])
    }

    @Test func ofMembersOfMembersTheLastCounts() throws {
        let text = #"{"a": {"x": 1, "y": 0}, "a": {"x": 2, "y": 3, "x": 4}}"#
        #expect(try read(text) { [try $0["a", "x"], try $0["a", "y"]] } == [4, 3])
    }

    @Test func keysOfAnOpenObject() throws {
        let sum = try read(#"{"a": 1, "b": 2, "\u0061": 3}"#) { json in
            try json.keys.reduce(into: [:]) { result, key in result[key] = try json[key: key] as Int }
        }
        #expect(sum == ["a": 3, "b": 2])
        #expect(try read(#"{"a": null}"#) { [try $0.contains("a"), try $0.contains("b")] } == [true, false])
        #expect(try read("[1]") { $0.kind } == .array)
    }

    @Test func keysAreThoseOfTheDocument() throws {
        struct Name: Codable, Equatable, JsonReadable, JsonWritable {
            let firstName: String

            init(json: inout JsonInput) throws { firstName = try json["first_name"] }
            func members(to json: inout JsonOutput) { json["first_name"] = firstName }
        }
        var (decoder, encoder) = (JsonDecoder(), JsonEncoder())
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let data = Data(#"{"first_name":"Ada"}"#.utf8)
        let name = try decoder.decode(Name.self, from: data)
        #expect(name.firstName == "Ada")
        #expect(try encoder.encode(name) == data)
    }

    @Test func largeObjectsInAnyOrder() throws {
        let members = (0..<100).map { #""k\#($0)": \#($0)"# }
        let keys = (0..<100).reversed().map { "k\($0)" }
        let text = "{" + members.joined(separator: ",") + "}"
        #expect(try read(text) { json in try keys.map { try json[key: $0] as Int } } == (0..<100).reversed())
        let twice = "{" + (members + [#""k99": -1"#]).joined(separator: ",") + "}"
        #expect(try read(twice) { json in try keys.map { try json[key: $0] as Int } }.first == -1)
        #expect(try read(twice) { try $0["k99"] as Int } == -1)
        #expect(try read(twice) { try $0["none"] as Int? } == nil)
    }

    @Test func aFailedMemberThatDoesNotCount() throws {
        #expect(try read(#"{"id": "x", "id": 1}"#) { try $0["id"] as Int } == 1)
        #expect(try read(#"{"id": {"n": "x"}, "id": {"n": 1}}"#) { try $0["id"] as [String: Int] } == ["n": 1])
        let text = try read(#"{"v": "x", "v": 3, "w": 4}"#) { json in
            if let number = try? json["v"] as Int { return "\(number)" }
            return try json["v"] as String
        }
        #expect(text == "3")
    }

    /// A type that counts how often it is read.
    private final class Chain: JsonReadable {
        nonisolated(unsafe) static var reads = 0
        let next: Chain?

        init(json: inout JsonInput) throws {
            Self.reads += 1
            next = try json["next"]
        }

        var depth: Int { 1 + (next?.depth ?? 0) }
    }

    @Test func repeatedKeysAtEachLevelAreReadTwiceAtMost() throws {
        let levels = 200
        let text =
            String(repeating: #"{"next": null, "next": "#, count: levels) + "{}" + String(repeating: "}", count: levels)
        Chain.reads = 0
        #expect(try read(Chain.self, text).depth == levels + 1)
        #expect(Chain.reads <= 2 * (levels + 1))
    }

    @Test func oneObjectForSeveralTypes() throws {
        struct Base: JsonReadable, JsonWritable {
            let id: Int
            init(json: inout JsonInput) throws { id = try json["id"] }
            func members(to json: inout JsonOutput) { json["id"] = id }
        }
        struct Both: JsonReadable, JsonWritable {
            let base: Base, name: String
            init(json: inout JsonInput) throws {
                base = try Base(json: &json)
                name = try json["name"]
            }
            func members(to json: inout JsonOutput) {
                base.members(to: &json)
                json["name"] = name
            }
        }
        let text = #"{"id":1,"name":"a"}"#
        #expect(try JsonEncoder().encode(read(Both.self, text)) == Data(text.utf8))
    }

    // MARK: - Arrays

    @Test func elementsByIndexAndClosure() throws {
        #expect(try read("[1, [2], 3]") { [try $0[at: 0] as Int, try $0[at: 2]] } == [1, 3])
        #expect(try read(#"[{"x": 1}, {"x": 2}]"#) { try $0.array { try $0["x"] as Int } } == [1, 2])
        let wrong = thrown(DecodingError.self) {
            try read(#"{"list": [{"x": 1}, {"x": "a"}]}"#) { try $0.array("list") { try $0["x"] as Int } }
        }
        #expect(path(wrong) == ["list", "1", "x"])
        let past = thrown(DecodingError.self) { try read("[1]") { try $0[at: 1] as Int } }
        #expect(path(past) == ["1"])
    }

    @Test func aLossyArrayLeavesOutWhatCannotBeRead() throws {
        let count = 20_000
        let elements = (0..<count).map { number in
            number.isMultiple(of: 100)
                ? #"{"part \"name\"\n":"\#(number)","weight":1}"# : #"{"weight":[0]}"#
        }
        let text = "{\"list\":[" + elements.joined(separator: ",") + "],\"none\":null}"
        var failures: [[String]?] = []
        let list = try read(text) { json in
            try json.lossyArray("list", of: FastPart<Fast>.self) { failures.append(path($0 as? DecodingError)) }
        }
        #expect(list.map(\.name) == (0..<count / 100).map { "\($0 * 100)" })
        #expect(failures.count == count - count / 100)
        #expect(failures.last == ["list", "19999"])
        #expect(try read(text) { try $0.lossyArray("none", of: Int.self) } == [])
        #expect(throws: DecodingError.self) { try read("{}") { try $0.lossyArray(of: Int.self) } }
    }

    // MARK: - Values

    @Test func valuesThatAreNoObjects() throws {
        struct Meters: JsonReadable, JsonWritable, Equatable {
            let value: Double
            init(json: inout JsonInput) throws {
                value = try Double(json: &json)
                if value < 0 { throw json.dataCorrupted("A length is negative.") }
            }
            func members(to json: inout JsonOutput) { value.members(to: &json) }
        }
        let lengths = try read([String: Meters].self, #"{"a": 1.5}"#)
        #expect(lengths["a"]?.value == 1.5)
        #expect(try JsonEncoder().encode(lengths) == Data(#"{"a":1.5}"#.utf8))
        let negative = thrown(DecodingError.self) { try read([Meters].self, "[1, -1]") }
        #expect(path(negative) == ["1"])
    }

    @Test func foundationsCodersUseCodable() throws {
        let text = #"{"name":"n"}"#
        struct Both: Codable, JsonReadable, JsonWritable {
            var name: String
            init(json: inout JsonInput) throws { name = "fast " + (try json["name"]) }
            func members(to json: inout JsonOutput) { json["name"] = "fast" }
        }
        let slow = try JSONDecoder().decode(Both.self, from: Data(text.utf8))
        #expect(slow.name == "n")
        #expect(try JSONEncoder().encode(slow) == Data(text.utf8))
        #expect(try JsonDecoder().decode(Both.self, from: Data(text.utf8)).name == "fast n")
        #expect(try Json(parsing: text).decode(Both?.self)?.name == "fast n")
        #expect(try JsonEncoder().encode(slow) == Data(#"{"name":"fast"}"#.utf8))
    }
}
