import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The entry points of `Json`: parsing, looking inside, changing, comparing, writing.
struct JsonGrowthTests {
    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        "[" + (0..<count).map(element).joined(separator: ",") + "]"
    }

    private static func table(_ count: Int, _ value: (Int) -> String) -> String {
        "{" + (0..<count).map { "\"key\($0)\":" + value($0) }.joined(separator: ",") + "}"
    }

    private static func keys(_ count: Int) -> [String] { (0..<count).map { "key\($0)" } }

    private static func parse(_ name: String, _ text: @escaping @Sendable (Int) -> String) -> Growth {
        Growth("parsing \(name)", 8_000) { size in
            let bytes = Array(text(size).utf8)
            let limits = JsonLimits(maximumDepth: .max)
            return { use(try? Json(parsing: bytes, limits: limits)) }
        }
    }

    static let parsing = [
        parse("numbers") { list($0) { "\($0)" } },
        parse("objects") { list($0) { "{\"a\":\($0),\"b\":[]}" } },
        parse("members") { table($0) { "\($0)" } },
        parse("members of one key") { size in "{" + (0..<size).map { _ in "\"a\":1" }.joined(separator: ",") + "}" },
        parse("levels") { String(repeating: "[", count: $0 / 8) + String(repeating: "]", count: $0 / 8) },
        parse("too many levels") { String(repeating: "{\"a\":", count: $0) },
        parse("a long string") { "\"" + String(repeating: "x", count: 8 * $0) + "\"" },
        parse("a long string with escapes") { "\"" + String(repeating: "\\u00e9é", count: $0) + "\"" },
        parse("a long number") { String(repeating: "1", count: 8 * $0) },
        parse("white space") { String(repeating: " \n", count: 4 * $0) + "1" },
        parse("a text with an error at its end") { String(repeating: "\n", count: 8 * $0) + "x" },
        parse("a text that ends too early") { String(repeating: "[1,[2],", count: $0 / 8) },
    ]

    private static func parsed(
        _ name: String, size: Int = 1_000, _ text: @escaping @Sendable (Int) -> String,
        _ work: @escaping @Sendable (Json) throws -> Void
    ) -> Growth {
        Growth(name, size) { size in
            let json = try Json(parsing: text(size))
            return { try work(json) }
        }
    }

    static let reading = [
        parsed("elements", { list($0) { "[\($0)]" } }) { for element in $0.elements { use(element.count) } },
        parsed("members", { table($0) { "\($0)" } }) { for (key, value) in $0.members { use((key, value.int)) } },
        parsed("array", { list($0) { "\($0)" } }) { use($0.array) },
        parsed("object", { table($0) { "\($0)" } }) { use($0.object) },
        parsed("every element by its index", { list($0) { "[\($0)]" } }) {
            for place in 0..<$0.count { use($0[place]) }
        },
        parsed("every number by its index", { list($0) { "\($0)" } }) { for place in 0..<$0.count { use($0[place]) } },
        parsed("every member by its key", { table($0) { "\($0)" } }) { for key in keys($0.count) { use($0[key]) } },
        parsed("every member of an encoded value", { table($0) { "\($0)" } }) { json in
            let encoded = try Json(encoding: json)
            for key in keys(json.count) { use(encoded[key]) }
        },
        // Many names: the time of a single one depends on its place in the hash table.
        parsed("missing members", { table($0) { "\($0)" } }) { json in
            for key in keys(json.count) { use(json["no " + key]) }
        },
        parsed("string", size: 20_000, { "\"" + String(repeating: "\\n/x", count: $0) + "\"" }) { use($0.string) },
        parsed("integer", size: 8_000, { "1" + String(repeating: "0", count: $0) }) { use($0.int) },
        parsed("integer with a fraction", size: 8_000, { "1." + String(repeating: "0", count: $0) }) { use($0.int) },
        parsed("double", size: 8_000, { String(repeating: "7", count: $0) + "e-\($0)" }) { use($0.double) },
        parsed("number text", size: 20_000, { String(repeating: "7", count: $0) }) { use($0.numberText) },
        parsed("decimal", size: 8_000, { "0." + String(repeating: "7", count: $0) }) { use($0.decimal) },
        parsed("exponent", size: 8_000, { "1e" + String(repeating: "9", count: $0) }) { use(($0.int, $0.double)) },
    ]

    static let changing = [
        Growth("setting members") { size in
            let keys = keys(size)
            return {
                var json = Json()
                for key in keys { json[key] = 1 }
            }
        },
        Growth("replacing members") { size in
            let keys = keys(size)
            let json = try Json(parsing: table(size) { "\($0)" })
            return {
                var json = json
                for key in keys { json[key] = 1 }
            }
        },
        Growth("removing members") { size in
            let keys = keys(size)
            let json = try Json(parsing: table(size) { "\($0)" })
            return {
                var json = json
                for key in keys { json[key] = nil }
            }
        },
        Growth("removing members from the last") { size in
            let keys = keys(size)
            let json = try Json(parsing: table(size) { "\($0)" })
            return {
                var json = json
                for key in keys.reversed() { json[key] = nil }
            }
        },
        Growth("setting and removing") { size in
            let keys = keys(size)
            let json = try Json(parsing: table(size) { "\($0)" })
            return {
                var json = json
                for key in keys {
                    json[key] = nil
                    json["new" + key] = 1
                }
            }
        },
        Growth("setting members of a member") { size in
            let keys = keys(size)
            return {
                var json: Json = ["a": ["b": [:]]]
                for key in keys { json["a"]?["b"]?[key] = 1 }
            }
        },
        Growth("setting elements of an element") { size in
            let json = try Json(parsing: "[\(list(size) { "\($0)" })]")
            return {
                var json = json
                for place in 0..<size { json[0]?[place] = 1 }
            }
        },
        Growth("appending") { size in
            {
                var json: Json = ["a": []]
                for number in 0..<size { json["a"]?.append(Json(number)) }
            }
        },
        Growth("removing elements from the last") { size in
            let json = try Json(parsing: list(size) { "\($0)" })
            return {
                var json = json
                for place in (0..<size).reversed() { json[place] = nil }
            }
        },
        Growth("building of a dictionary") { size in
            let members = Dictionary(uniqueKeysWithValues: keys(size).map { ($0, Json(1)) })
            return { use(Json(members)) }
        },
        Growth("building of an array") { size in
            let elements = (0..<size).map { Json($0) }
            return { use(Json(elements)) }
        },
    ]

    private static func pair(
        _ name: String, _ text: @escaping @Sendable (Int) -> String, _ work: @escaping @Sendable (Json, Json) -> Void
    ) -> Growth {
        Growth(name) { size in
            let first = try Json(parsing: text(size))
            let second = try JSONDecoder().decode(Json.self, from: first.data)
            return { work(first, second) }
        }
    }

    static let comparing = [
        pair("equality of objects", { table($0) { "[\($0)]" } }) { use($0 == $1) },
        pair("equality of arrays", { list($0) { "[\($0)]" } }) { use($0 == $1) },
        parsed("equality of numbers of many digits", { String(repeating: "7", count: 8 * $0) }) { json in
            use(json == (1 as Json))
        },
        pair("hash of objects", { table($0) { "[\($0)]" } }) { use(($0.hashValue, $1.hashValue)) },
        pair("hash of arrays", { list($0) { "[\($0)]" } }) { use(($0.hashValue, $1.hashValue)) },
        parsed("hash of a long string", size: 20_000, { "\"" + String(repeating: "x", count: $0) + "\"" }) {
            use($0.hashValue)
        },
    ]

    static let writing = [
        pair("data", { table($0) { "[\($0)]" } }) { use(($0.data, $1.data)) },
        pair("description", { table($0) { "[\($0)]" } }) { use(($0.description, $1.description)) },
        pair("serialized, sorted and indented", { table($0) { "[\($0)]" } }) { first, second in
            use(first.serialized([.sortedKeys, .prettyPrinted]))
            use(second.serialized([.sortedKeys, .prettyPrinted]))
        },
        parsed("to another encoder", { table($0) { "[\($0)]" } }) { use(try JSONEncoder().encode($0)) },
        Growth("from another decoder") { size in
            let data = Data(table(size) { "[\($0)]" }.utf8)
            return { use(try JSONDecoder().decode(Json.self, from: data)) }
        },
    ]

    @Test(arguments: parsing) func parsingGrowsWithTheText(growth: Growth) throws { try growth.check() }

    @Test(arguments: reading) func readingGrowsWithWhatIsRead(growth: Growth) throws { try growth.check() }

    @Test(arguments: changing) func changingGrowsWithTheChanges(growth: Growth) throws { try growth.check() }

    @Test(arguments: comparing) func comparingGrowsWithTheValues(growth: Growth) throws { try growth.check() }

    @Test(arguments: writing) func writingGrowsWithTheValue(growth: Growth) throws { try growth.check() }
}
