import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The errors of models that write themselves: their values and places.
struct FastEncodingErrorTests {
    private struct Words: JsonWritable {
        let write: (inout JsonOutput) -> Void

        func members(to json: inout JsonOutput) { write(&json) }
    }

    /// The value and the coding path of an encoding's error.
    private func failure(
        _ format: JsonEncoder.OutputFormatting = [], of value: some JsonWritable
    ) -> (value: Any, path: [any CodingKey], description: String)? {
        var encoder = JsonEncoder()
        encoder.outputFormatting = format
        let error = thrown(EncodingError.self) { try encoder.encode(value) }
        guard case .invalidValue(let value, let context) = error else { return nil }
        return (value, context.codingPath, context.debugDescription)
    }

    /// Under Address Sanitizer, shows that the text is not read past its end, wherever its memory ends.
    @Test func theTextIsNotReadPastItsEnd() throws {
        for count in 400...600 {
            for key in ["a", "b\"", "fifteen bytes k", "longer than fifteen"] {
                let failure = failure(
                    of: Words { json in
                        json["p"] = String(repeating: "x", count: count)
                        json[key: key] = Double.nan
                    })
                #expect(failure?.path.map(\.stringValue) == [key])
            }
        }
    }

    @Test func anInfinityOfAFloatIsAnErrorWhereverItStands() {
        func path(_ value: some JsonWritable) -> String? {
            failure(of: value).map { "\($0.value) at \($0.path.map(\.stringValue)), \($0.description)" }
        }
        let text = "Unable to encode Float.inf directly in JSON."
        #expect(path([1, Float.infinity]) == "inf at [\"Index 1\"], \(text)")
        #expect(path(["a": Float?.some(.infinity)]) == "inf at [\"a\"], \(text)")
        #expect(path(Words { $0["a"] = Float.infinity }) == "inf at [\"a\"], \(text)")
        #expect(path(Words { $0["a"] = ["b": [Float.infinity]] }) == "inf at [\"a\", \"b\", \"Index 0\"], \(text)")
        #expect(throws: EncodingError.self) { try Json(encoding: ["a": Float.nan, "b": 1]) }
    }

    @Test func keysOfDictionariesAreNumbersInPaths() throws {
        func check(_ value: some JsonWritable & Encodable) throws {
            let fast = failure(of: Words { $0["v"] = value })
            let plain = thrown(EncodingError.self) { try JSONEncoder().encode(["v": value]) }
            guard case .invalidValue(_, let context) = plain else { throw CancellationError() }
            #expect(fast?.path.map(\.intValue) == context.codingPath.map(\.intValue))
            #expect(fast?.path.map(\.stringValue) == context.codingPath.map(\.stringValue))
        }
        try check([7: Double.nan])
        try check([7: ["x": [-1: Double.infinity]]])
        try check(["x": [7: [8: Double.infinity]]])
        try check([FastSide.left: Double.nan])
        try check([FastNumber.seven: [Double.nan]])
    }

    // MARK: - Misuse

    private struct Twice: JsonWritable {
        let first: Bool

        func members(to json: inout JsonOutput) {
            if first { json["a"] = 1 } else { "a".members(to: &json) }
            2.members(to: &json)
            json["b"] = 3
        }
    }

    @Test(arguments: [true, false]) func theErrorOfTwoValuesHasTheValue(first: Bool) throws {
        let twice = failure(of: Words { $0["list"] = [Twice(first: first)] })
        #expect((twice?.value as? Twice)?.first == first)
        #expect(twice?.path.map(\.stringValue) == ["list", "Index 0"])
        #expect(twice?.description == "Twice wrote two values, or two kinds of containers, as one.")
        let closure = failure(
            of: Words {
                $0.object("a") { json in
                    1.members(to: &json); 2.members(to: &json)
                }
            })
        #expect(closure?.path.map(\.stringValue) == ["a"] && closure?.value is Json)
        let earlier = failure(
            of: Words { json in
                json["nan"] = Double.nan
                json["twice"] = Twice(first: first)
            })
        #expect((earlier?.value as? Double)?.isNaN == true && earlier?.path.map(\.stringValue) == ["nan"])
    }

    @Test func theErrorOfAMisusedEncoderHasTheWholeValue() throws {
        struct Misusing: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        let error = thrown(EncodingError.self) { try JsonEncoder().encode(["a": Misusing()]) }
        guard case .invalidValue(let value, let context) = error else { throw CancellationError() }
        #expect(value is [String: Misusing] && context.codingPath.map(\.stringValue) == ["a"])
    }

    /// The path is that of the part which is nested too deeply, or of a `Json` that contains it.
    @Test func theErrorOfATooDeepValueHasAPath() throws {
        let limits = JsonLimits(maximumDepth: .max)
        let deepest = try Json(
            parsing: String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), limits: limits)
        let fast = failure(of: Words { $0["a"] = deepest })
        #expect(fast?.path.first?.stringValue == "a" && fast?.path.count == 10_001 && fast?.value is Words)
        let plain = thrown(EncodingError.self) { try JsonEncoder().encode(["a": deepest]) }
        guard case .invalidValue(_, let context) = plain else { throw CancellationError() }
        #expect(context.codingPath.map(\.stringValue) == ["a"])
    }

    /// A type that reads itself only is encoded by `Codable`.
    @Test func aTypeThatEncodesNothingIsAnErrorAtTheRoot() throws {
        struct Nothing: Encodable, JsonReadable {
            init() {}
            init(json: inout JsonInput) throws {}
            func encode(to encoder: any Encoder) throws {}
        }
        let error = thrown(EncodingError.self) { try JsonEncoder().encode(Nothing()) }
        guard case .invalidValue(let value, let context) = error else { throw CancellationError() }
        #expect(value is Nothing && context.debugDescription.contains("did not encode any values"))
        #expect(try JsonEncoder().encode([Nothing()]) == Data("[{}]".utf8))
        #expect(try JsonEncoder().encode(Words { _ in }) == Data("{}".utf8))
    }

    private enum FastSide: String, Codable, CodingKeyRepresentable, JsonWritable { case left = "1" }
    private enum FastNumber: Int, Codable, CodingKeyRepresentable, JsonWritable { case seven = 7 }
}
