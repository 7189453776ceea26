import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The same values with and without the fast protocols: same text and same errors in each format and strategy.
///
/// Values with sets or dictionaries may have another order in each copy. Their texts are compared as JSON unless keys are
/// sorted.
struct FastEncodingTests {
    private static let seed: UInt64 =
        ProcessInfo.processInfo.environment["JSON_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)

    private static let encoders: [JsonEncoder] = {
        let first = JsonEncoder()
        var second = JsonEncoder()
        second.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        second.dateEncodingStrategy = .iso8601
        second.dataEncodingStrategy = .deferredToData
        second.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var third = JsonEncoder()
        third.outputFormatting = .sortedKeys
        third.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.container(keyedBy: TestKey.self)
            try container.encode(date.timeIntervalSince1970, forKey: TestKey("at"))
            try container.encode(encoder.codingPath.map(\.stringValue), forKey: TestKey("path"))
        }
        third.dataEncodingStrategy = .custom { data, encoder in try [data.count].encode(to: encoder) }
        third.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var fourth = JsonEncoder()
        fourth.outputFormatting = .prettyPrinted
        fourth.dateEncodingStrategy = .formatted { date in
            if date.timeIntervalSinceReferenceDate == 0 { throw TestError() }
            return "\(date.timeIntervalSince1970)"
        }
        var fifth = third
        fifth.outputFormatting = .withoutEscapingSlashes
        return [first, second, third, fourth, fifth]
    }()

    private struct TestError: Error {}

    @Test func valuesAreWrittenAsByCodable() throws {
        var documents = FastDocuments(seed: Self.seed)
        var compared = 0
        for index in 0..<150 {
            compared += try compare(documents.scalars(), FastScalars<Fast>.self, FastScalars<Plain>.self, index)
            compared += try compare(documents.optionals(), FastOptionals<Fast>.self, FastOptionals<Plain>.self, index)
            compared += try compare(documents.part(), FastPart<Fast>.self, FastPart<Plain>.self, index)
            compared += try compare(
                documents.array(3) { $0.part() }, [FastPart<Fast>].self, [FastPart<Plain>].self, index)
            compared += try compare(
                documents.foundationTypes(), FastFoundationTypes<Fast>.self, FastFoundationTypes<Plain>.self, index,
                isOrdered: false)
            compared += try compare(
                documents.collections(), FastCollections<Fast>.self, FastCollections<Plain>.self, index,
                isOrdered: false)
            compared += try compare(
                documents.inside(), FastInside<Fast>.self, FastInside<Plain>.self, index, isOrdered: false)
            compared += try compare(
                documents.array(2) { $0.inside() }, [FastInside<Fast>].self, [FastInside<Plain>].self, index,
                isOrdered: false)
        }
        #expect(compared > 400)
    }

    /// In a patch, nil is "unchanged" and `.some(nil)` is "removed".
    fileprivate struct Patch<Mode>: Codable {
        var name: String??, date: Date??, parts: [FastPart<Mode>]??, deep: Int???

        static var all: [Patch] {
            [
                Patch(name: .some(nil), date: .some(nil), parts: .some(nil), deep: .some(.some(nil))),
                Patch(name: "a", date: Date(timeIntervalSince1970: 0), parts: [], deep: .some(nil)),
                Patch(name: nil, date: nil, parts: nil, deep: nil), Patch(name: .some(nil), deep: 7),
            ]
        }
    }

    @Test func anOptionalOfAnOptionalIsWrittenAsByCodable() throws {
        for (fast, plain) in zip(Patch<Fast>.all, Patch<Plain>.all) {
            let expected = try JSONEncoder().encode(plain)
            #expect(try Json(parsing: JsonEncoder().encode(fast)) == Json(parsing: expected))
            let read = try JsonDecoder().decode(Patch<Fast>.self, from: expected)
            let readPlainly = try JsonDecoder().decode(Patch<Plain>.self, from: expected)
            #expect(try JsonEncoder().encode(read) == JsonEncoder().encode(readPlainly))
        }
    }

    /// Encodes what the document is decoded to. Returns 0 if it isn't decoded.
    private func compare<FastValue: Codable, PlainValue: Codable>(
        _ text: String, _ fast: FastValue.Type, _ plain: PlainValue.Type, _ index: Int, isOrdered: Bool = true
    ) throws -> Int {
        var decoder = JsonDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Numbers that JSON can't represent.
        let text =
            index.isMultiple(of: 5)
            ? text.replacing("\"weight\":", with: "\"weight\":\"nan\",\"other\":")
                .replacing("\"double\":", with: "\"double\":\"-inf\",\"other\":") : text
        guard let value = try? decoder.decode(fast, from: Data(text.utf8)),
            let same = try? decoder.decode(plain, from: Data(text.utf8))
        else { return 0 }
        for (number, encoder) in Self.encoders.enumerated() {
            let own = Self.outcome(encoder, value)
            let expected = Self.outcome(encoder, same)
            var isSame = own == expected
            if !isSame, !isOrdered, !encoder.outputFormatting.contains(.sortedKeys), own.count == expected.count {
                isSame = try Json(parsing: own) == Json(parsing: expected)
            }
            #expect(isSame, "seed \(Self.seed), document \(index), encoder \(number): \(own), not \(expected)")
        }
        return 1
    }

    private static func outcome(_ encoder: JsonEncoder, _ value: some Encodable) -> String {
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch EncodingError.invalidValue(let value, let context) {
            let path = context.codingPath.map { "\($0.stringValue)|\($0.intValue?.description ?? "")" }
            return "\(value) at \(path): \(context.debugDescription)"
        } catch {
            return "\(error)"
        }
    }

    // MARK: - Members

    private struct Words: JsonWritable {
        let write: (inout JsonOutput) -> Void

        func members(to json: inout JsonOutput) { write(&json) }

        func text(_ format: JsonEncoder.OutputFormatting = []) throws -> String {
            var encoder = JsonEncoder()
            encoder.outputFormatting = format
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    @Test func ofMembersWithTheSameKeyTheLastIsWritten() throws {
        let twice = Words {
            $0["a"] = 1
            $0["b"] = ["x": [1, 2]]
            $0["a"] = "last"
            $0[key: "c"] = true
            $0[key: "b"] = nil as Int?
            $0["longer than eight bytes"] = 1
            $0["longer than eight bytes"] = 2
        }
        #expect(try twice.text() == #"{"b":{"x":[1,2]},"a":"last","c":true,"longer than eight bytes":2}"#)
        #expect(try twice.text(.sortedKeys) == #"{"a":"last","b":{"x":[1,2]},"c":true,"longer than eight bytes":2}"#)
    }

    @Test func manyMembersInAnyOrder() throws {
        let many = Words { json in
            for number in 0..<200 { json[key: "k\(number % 150)"] = number }
        }
        let json = try Json(encoding: many)
        #expect(json.count == 150)
        #expect(json["k3"]?.int == 153 && json["k149"]?.int == 149)
        #expect(try Json(parsing: many.text([.sortedKeys, .prettyPrinted])) == json)
    }

    @Test func keysAreEscaped() throws {
        let keys = Words {
            $0[""] = 1
            $0["a\"b"] = 2
            $0["tab\tand more than eight"] = 3
            $0["slash/"] = 4
            $0["é"] = 5
            $0["1234567"] = 6
            $0["12345678"] = 7
            $0["1234567\\"] = 8
        }
        let text =
            #"{"":1,"a\"b":2,"tab\tand more than eight":3,"slash\/":4,"é":5,"1234567":6,"12345678":7,"1234567\\":8}"#
        #expect(try keys.text() == text)
        #expect(try keys.text(.withoutEscapingSlashes) == text.replacing("\\/", with: "/"))
    }

    @Test func objectsAndArraysInPlace() throws {
        let nested = Words { json in
            json.object("address") {
                $0["city"] = "Kazan"
                $0.object("empty") { _ in }
            }
            json.array("corners", [1, 2]) { $1["x"] = $0 }
            json.array("numbers", [1, 2]) { $0.members(to: &$1) }
            json.array("none", [Int]()) { $0.members(to: &$1) }
        }
        let text = #"{"address":{"city":"Kazan","empty":{}},"corners":[{"x":1},{"x":2}],"numbers":[1,2],"none":[]}"#
        #expect(try nested.text() == text)
        let pretty = try Json(parsing: text).serialized(.prettyPrinted)
        #expect(try nested.text(.prettyPrinted) == String(decoding: pretty, as: UTF8.self))
        #expect(try Words { _ in }.text() == "{}")
        #expect(try Words { [1, 2].members(to: &$0) }.text() == "[1,2]")
        #expect(try Words { "a".members(to: &$0) }.text() == "\"a\"")
        #expect(try Words { (nil as Int?).members(to: &$0) }.text() == "null")
        #expect(try JsonEncoder().encode([nil, Words { $0["a"] = 1 }]) == Data(#"[null,{"a":1}]"#.utf8))
    }

    @Test func theErrorNamesThePlace() throws {
        let list: [Double] = [1, .nan, .infinity]
        let words = Words { json in
            json["before"] = ["a, \"b\" {": [1]]
            json.object("a\"b") { $0["list"] = list }
            json["after"] = Decimal.nan
        }
        for format in [[], .prettyPrinted] as [JsonEncoder.OutputFormatting] {
            let error = thrown(EncodingError.self) { try words.text(format) }
            guard case .invalidValue(let value, let context) = error else { throw CancellationError() }
            #expect((value as? Double)?.isNaN == true)
            let path = context.codingPath.map { $0.intValue?.description ?? $0.stringValue }
            #expect(path == ["a\"b", "list", "1"])
        }
    }

    @Test func twoValuesAsOneAreAnError() throws {
        let wrong: [(inout JsonOutput) -> Void] = [
            { json in
                1.members(to: &json)
                2.members(to: &json)
            },
            { json in
                json["a"] = 1
                2.members(to: &json)
            },
            { json in
                [1].members(to: &json)
                json["a"] = 1
            },
        ]
        for write in wrong {
            let value = Words { json in json.object("x", write) }
            let error = thrown(EncodingError.self) { try value.text() }
            guard case .invalidValue(_, let context) = error else { throw CancellationError() }
            #expect(context.codingPath.first?.stringValue == "x")
        }
    }
}

extension FastEncodingTests.Patch: JsonReadable, JsonWritable where Mode: FastMode {
    fileprivate init(json: inout JsonInput) throws {
        self.init(
            name: try json["name"], date: try json["date"], parts: try json["parts"], deep: try json["deep"])
    }

    fileprivate func members(to json: inout JsonOutput) {
        json["name"] = name
        json["date"] = date
        json["parts"] = parts
        json["deep"] = deep
    }
}
