import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Models that read and write themselves: values, and errors that they handle, in whatever order.
struct FastGrowthTests {
    /// Reads the members from the last to the first.
    private struct Backwards<Value: JsonReadable>: JsonReadable {
        init(json: inout JsonInput) throws {
            for key in try json.keys.reversed() { use(try? json[key: key] as Value) }
        }
    }

    /// Reads the last member, the first one, the last but one, the second one, and so on.
    private struct Inwards<Value: JsonReadable>: JsonReadable {
        init(json: inout JsonInput) throws {
            let keys = try json.keys
            for (first, last) in zip(keys, keys.reversed()) {
                use(try? json[key: last] as Value)
                use(try? json[key: first] as Value)
            }
        }
    }

    private struct LossyArray<Element: JsonReadable>: JsonReadable {
        init(json: inout JsonInput) throws { use(try json.lossyArray(of: Element.self)) }
    }

    /// Handles an error of each element, and asks for its own path between them.
    private struct Paths: JsonReadable {
        init(json: inout JsonInput) throws {
            for key in try json.keys {
                use(try? json[key: key] as Bool)
                use(json.codingPath.count)
            }
        }
    }

    private struct Member<Value: JsonReadable>: JsonReadable {
        init(json: inout JsonInput) throws { use(try json["a"] as Value) }
    }

    private static func decode<Value: JsonReadable>(
        _ type: Value.Type, _ name: String, _ size: Int = 500, _ decoder: JsonDecoder = JsonDecoder(),
        text: @escaping @Sendable (Int) -> String
    ) -> Growth {
        Growth("fast, \(name)", size) { size in
            let data = Data(text(size).utf8)
            return { use(try decoder.decode(Value.self, from: data)) }
        }
    }

    private static func list(_ count: Int, _ element: String) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    private static func table(_ count: Int, _ value: String) -> String {
        "{" + (0..<count).map { "\"key\($0)\":" + value }.joined(separator: ",") + "}"
    }

    /// Numbers with this many digits before the point, after it, and in the exponent.
    @Sendable private static func longNumbers(_ digits: Int) -> String {
        let nines = String(repeating: "9", count: digits)
        let zeros = String(repeating: "0", count: digits)
        let exponents = ["", "e\(nines)", "e-\(nines)", "e\(zeros)1"]
        let numbers = ["\(nines)", "1\(zeros)", "-0.\(zeros)1", "1.\(zeros)", "0.\(nines)"]
        return "[" + numbers.flatMap { number in exponents.map { number + $0 } }.joined(separator: ",") + "]"
    }

    private static let strings: JsonDecoder = {
        var decoder = JsonDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }()

    private static let custom: JsonDecoder = {
        var decoder = JsonDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            use(decoder.codingPath.count)
            return Date(timeIntervalSince1970: try Double(from: decoder))
        }
        decoder.dataDecodingStrategy = .deferredToData
        return decoder
    }()

    static let reading = [
        decode(Backwards<Int>.self, "numbers with an exponent backwards") { table($0, "1e0") },
        decode(Backwards<Int128>.self, "large numbers backwards") { table($0, "123456789012345678901234") },
        decode(Backwards<Double>.self, "strings for NaN backwards", 500, strings) { table($0, #""nan""#) },
        decode(Backwards<Date>.self, "custom dates backwards", 500, custom) { table($0, "1") },
        decode(Backwards<Data>.self, "bytes backwards", 500, custom) { table($0, "[1]") },
        decode(Backwards<Bool>.self, "errors backwards") { table($0, "1") },
        decode(Inwards<Bool>.self, "errors from both ends inwards", 2_000) { table($0, "1") },
        decode(Backwards<LossyArray<Bool>>.self, "lossy arrays backwards") { table($0, "[1,2,[]]") },
        decode(Backwards<[Bool]>.self, "errors in arrays backwards") { table($0, "[true,1]") },
        decode(Paths.self, "paths between errors") { table($0, "1") },
        decode([Date].self, "custom dates", 500, custom) { list($0, "1") },
        decode(LossyArray<Int>.self, "long numbers as Int", 4_000, text: longNumbers),
        decode(LossyArray<Int128>.self, "long numbers as Int128", 4_000, text: longNumbers),
        decode(LossyArray<Double>.self, "long numbers as Double", 4_000, text: longNumbers),
        decode(LossyArray<Float>.self, "long numbers as Float", 4_000, text: longNumbers),
        decode(LossyArray<Decimal>.self, "long numbers as Decimal", 4_000, text: longNumbers),
        // The members of one object, and one object of many members.
        decode([String: Member<Int>].self, "objects with escaped keys") { size in
            table(size, #"{"\u0062":1,"\u0061":1,"\u0063":1}"#)
        },
        decode(Backwards<Int>.self, "escaped keys") { size in
            "{" + (0..<size).map { "\"\\u006bey\($0)\":1" }.joined(separator: ",") + "}"
        },
        decode([String: Bool].self, "members of a dictionary that do not count") { size in
            let first = (0..<size).map { "\"key\($0)\":1" }
            return "{" + (first + (0..<size).map { "\"key\($0)\":true" }).joined(separator: ",") + "}"
        },
    ]

    private static func encode<Value: JsonWritable & Sendable>(
        _ name: String, _ value: @escaping @Sendable (Int) -> Value
    ) -> Growth {
        var encoder = JsonEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            use(encoder.codingPath.count)
            try date.timeIntervalSince1970.encode(to: encoder)
        }
        encoder.dataEncodingStrategy = .deferredToData
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return Growth("fast, \(name)", 500) { [encoder] size in
            let value = value(size)
            return { use(try encoder.encode(value)) }
        }
    }

    static let writing = [
        encode("NaN") { Array(repeating: Double.nan, count: $0) },
        encode("custom dates") { Array(repeating: Date(timeIntervalSince1970: 1), count: $0) },
        encode("bytes") { Array(repeating: Data([1, 2]), count: $0) },
        encode("dictionary") { size in Dictionary(uniqueKeysWithValues: (0..<size).map { ("key\($0)", [$0: Date()]) })
        },
    ]

    @Test(arguments: reading) func readingGrowsWithTheText(growth: Growth) throws { try growth.check() }

    @Test(arguments: writing) func writingGrowsWithTheValue(growth: Growth) throws { try growth.check() }
}
