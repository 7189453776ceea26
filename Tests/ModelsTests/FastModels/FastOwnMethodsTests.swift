import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Types with raw values whose own methods read and write them: wherever such a value stands, the methods are called.
struct FastOwnMethodsTests {
    private enum State: String, Codable, CodingKeyRepresentable, JsonReadable, JsonWritable {
        case on, off, unknown

        init(json: inout JsonInput) throws { self = State(rawValue: try String(json: &json)) ?? .unknown }

        func members(to json: inout JsonOutput) { rawValue.uppercased().members(to: &json) }
    }

    /// A set of options that is an array of names in JSON.
    private struct Rights: OptionSet, Hashable, JsonReadable, JsonWritable {
        let rawValue: Int
        static let read = Rights(rawValue: 1)
        static let write = Rights(rawValue: 2)
        private static let names = [("read", read), ("write", write)]

        init(rawValue: Int) { self.rawValue = rawValue }

        init(json: inout JsonInput) throws {
            let names = try [String](json: &json)
            self.init(Self.names.filter { names.contains($0.0) }.map(\.1))
        }

        func members(to json: inout JsonOutput) {
            Self.names.filter { contains($0.1) }.map(\.0).members(to: &json)
        }
    }

    /// A value in each place.
    private struct Places<Value: JsonReadable & JsonWritable & Hashable>: JsonReadable, JsonWritable {
        let member: Value, optional: Value?, other: Value, elements: [Value], set: Set<Value>
        let values: [String: Value], byNumber: [Int: Value], inner: Value, second: Value, lossy: [Value]

        init(json: inout JsonInput) throws {
            member = try json["member"]
            optional = try json["optional"]
            other = try json["other", default: member]
            elements = try json["elements"]
            set = try json["set"]
            values = try json["values"]
            byNumber = try json["byNumber"]
            inner = try json["object", "inner"]
            second = try json.array("elements") { try Value(json: &$0) }[1]
            lossy = try json.lossyArray("elements")
        }

        func members(to json: inout JsonOutput) {
            json["member"] = member
            json["optional"] = optional
            json["other"] = other
            json["elements"] = elements
            json["set"] = set
            json["values"] = values
            json["byNumber"] = byNumber
            json.object("object") { $0["inner"] = inner }
        }
    }

    private func check<Value: JsonReadable & JsonWritable & Hashable>(
        _ value: Value, reading text: String, writing written: String
    ) throws {
        func read<Result: JsonReadable>(_ type: Result.Type, _ text: String) throws -> Result {
            try JsonDecoder().decode(type, from: Data(text.utf8))
        }
        func write(_ value: some JsonWritable) throws -> String {
            String(decoding: try JsonEncoder().encode(value), as: UTF8.self)
        }
        func places(_ text: String) -> String {
            #"{"member":\#(text),"optional":\#(text),"other":\#(text),"elements":[\#(text),\#(text)],"set":[\#(text)],"#
                + #""values":{"a":\#(text)},"byNumber":{"1":\#(text)},"object":{"inner":\#(text)}}"#
        }
        #expect(try read(Value.self, text) == value)
        #expect(try read([Value].self, "[\(text)]") == [value])
        #expect(try write(value) == written)
        #expect(try write([value]) == "[\(written)]")
        let all = try read(Places<Value>.self, places(text))
        #expect(all.member == value && all.optional == value && all.other == value)
        #expect(all.elements == [value, value] && all.set == [value] && all.second == value && all.inner == value)
        #expect(all.lossy == all.elements)
        #expect(all.values == ["a": value] && all.byNumber == [1: value])
        #expect(try write(all) == places(written))
    }

    @Test func anEnumWithAFallback() throws {
        try check(State.unknown, reading: #""zz""#, writing: #""UNKNOWN""#)
        try check(State.off, reading: #""off""#, writing: #""OFF""#)
    }

    @Test func anOptionSetOfNames() throws {
        try check([.read, .write] as Rights, reading: #"["write","other","read"]"#, writing: #"["read","write"]"#)
    }

    @Test func aMemberOfACodableType() throws {
        struct Whole: Codable { let state: State, states: [State], byName: [String: State] }
        let text = #"{"state":"zz","states":["zz"],"byName":{"a":"zz"}}"#
        let whole = try JsonDecoder().decode(Whole.self, from: Data(text.utf8))
        #expect(whole.state == .unknown && whole.states == [.unknown] && whole.byName == ["a": .unknown])
        #expect(try JsonEncoder().encode(whole) == Data(text.replacing("zz", with: "UNKNOWN").utf8))
    }

    @Test func theKeyOfADictionaryThatIsAnArray() throws {
        let text = #"[["read"],1]"#
        let values = try JsonDecoder().decode([Rights: Int].self, from: Data(text.utf8))
        #expect(values == [.read: 1])
        #expect(try JsonEncoder().encode(values) == Data(text.utf8))
    }
}
