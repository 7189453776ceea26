import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encoding and decoding with every strategy, mapping, and forms.
struct CoderGrowthTests {
    struct Item: JsonModel, Hashable {
        var firstName = "Ada"
        var number = 1
        var maybe: Double? = 0.5
    }

    struct Whole<Value: Codable & Sendable>: Codable, Sendable {
        var values: [Value]
    }

    /// Runs a body on an encoder.
    struct Body: Encodable {
        let run: (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try run(encoder) }
    }

    struct Failing: Encodable {
        func encode(to encoder: any Encoder) throws { throw JsonEncodingFailureTests.Failure() }
    }

    private static func keys(_ count: Int) -> [String] { (0..<count).map { "keyNumber\($0)" } }

    private static func strings(_ count: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: keys(count).map { ($0, 1) })
    }

    private static func encoder(_ change: (inout JsonEncoder) -> Void) -> JsonEncoder {
        var encoder = JsonEncoder()
        change(&encoder)
        return encoder
    }

    private static func decoder(_ change: (inout JsonDecoder) -> Void) -> JsonDecoder {
        var decoder = JsonDecoder()
        change(&decoder)
        return decoder
    }

    static let encoders = [
        ("defaults", JsonEncoder()),
        ("sorted", encoder { $0.outputFormatting = .sortedKeys }),
        ("indented", encoder { $0.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes] }),
        ("sorted and indented", encoder { $0.outputFormatting = [.prettyPrinted, .sortedKeys] }),
        (
            "snake case",
            encoder {
                $0.keyEncodingStrategy = .convertToSnakeCase
                $0.dateEncodingStrategy = .iso8601
                $0.dataEncodingStrategy = .deferredToData
            }
        ),
        (
            "custom",
            encoder {
                $0.keyEncodingStrategy = .custom { TestKey("x" + ($0.last?.stringValue ?? "")) }
                $0.dateEncodingStrategy = .custom { date, encoder in try "date".encode(to: encoder) }
                $0.dataEncodingStrategy = .custom { data, encoder in try data.count.encode(to: encoder) }
            }
        ),
        ("milliseconds", encoder { $0.dateEncodingStrategy = .millisecondsSince1970 }),
        ("formatted", encoder { $0.dateEncodingStrategy = .formatted { "\($0.timeIntervalSince1970)" } }),
    ]

    private static func encode<Value: Encodable & Sendable>(
        _ name: String, _ coder: (String, JsonEncoder), _ size: Int = 500, _ value: @escaping @Sendable (Int) -> Value
    ) -> Growth {
        let encoder = coder.1
        return Growth("\(name), \(coder.0)", size) { size in
            let value = value(size)
            return { use(try encoder.encode(value)) }
        }
    }

    static let encoding = encoders.flatMap { coder in
        [
            encode("items", coder) { Array(repeating: Item(), count: $0) },
            encode("numbers", coder, 4_000) { Array(0..<$0) },
            encode("dictionary", coder) { strings($0) },
            encode("dictionary of items", coder) { strings($0).mapValues { _ in Item() } },
            encode("dictionary with keys of integers", coder) { size in
                Dictionary(uniqueKeysWithValues: (0..<size).map { ($0, "x") })
            },
            encode("dates", coder, 100) { Array(repeating: Date(timeIntervalSince1970: 1), count: $0) },
            encode("data", coder, 4_000) { Whole(values: [Data(repeating: 1, count: $0)]) },
            encode("long text", coder, 20_000) { [String(repeating: "x/\n", count: $0)] },
            encode("optionals", coder) { [Double?](repeating: nil, count: $0) },
            encode("json", coder) { Json(strings($0).mapValues { Json($0) }) },
        ]
    }

    private static func container(
        _ name: String, _ size: Int = 500,
        _ step: @escaping @Sendable (inout KeyedEncodingContainer<TestKey>, String) throws -> Void
    ) -> [Growth] {
        encoders[..<4].map { coder in
            let encoder = coder.1
            return Growth("\(name), \(coder.0)", size) { size in
                let keys = keys(size)
                let body = Body { encoder in
                    var container = encoder.container(keyedBy: TestKey.self)
                    for key in keys { try step(&container, key) }
                }
                return { use(try encoder.encode(body)) }
            }
        }
    }

    static let containers = [
        container("members") { try $0.encode(1, forKey: TestKey($1)) },
        container("members of one key") { container, _ in try container.encode(1, forKey: TestKey("a")) },
        container("members written twice") { container, key in
            try container.encode(1, forKey: TestKey(key))
            try container.encode(2, forKey: TestKey(key))
        },
        container("nested objects", 1_000) { container, key in
            var nested = container.nestedContainer(keyedBy: TestKey.self, forKey: TestKey(key))
            try nested.encode(1, forKey: TestKey("a"))
        },
        container("a nested object asked for again") { container, key in
            var nested = container.nestedContainer(keyedBy: TestKey.self, forKey: TestKey("a"))
            try nested.encode(1, forKey: TestKey(key))
        },
        container("nested arrays", 1_000) { container, key in
            var nested = container.nestedUnkeyedContainer(forKey: TestKey(key))
            try nested.encode(1)
        },
        container("encoders for a class above", 1_000) { container, key in
            try 1.encode(to: container.superEncoder(forKey: TestKey(key)))
        },
        container("members that fail") { container, key in
            try container.encode(1, forKey: TestKey(key))
            _ = container.nestedUnkeyedContainer(forKey: TestKey(key + "nested"))
            try? container.encode(Failing(), forKey: TestKey(key))
        },
        container("nested elements") { container, key in
            var nested = container.nestedUnkeyedContainer(forKey: TestKey("a"))
            _ = nested.nestedUnkeyedContainer()
            _ = nested.nestedContainer(keyedBy: TestKey.self)
            _ = nested.superEncoder()
        },
    ].flatMap { $0 }

    static let decoders = [
        ("defaults", JsonDecoder()),
        (
            "snake case",
            decoder {
                $0.keyDecodingStrategy = .convertFromSnakeCase
                $0.dateDecodingStrategy = .iso8601
                $0.dataDecodingStrategy = .deferredToData
            }
        ),
        (
            "custom",
            decoder {
                $0.keyDecodingStrategy = .custom { TestKey($0.last?.stringValue ?? "") }
                $0.dateDecodingStrategy = .custom { _ in Date(timeIntervalSince1970: 1) }
                $0.dataDecodingStrategy = .custom { _ in Data() }
            }
        ),
        ("formatted", decoder { $0.dateDecodingStrategy = .formatted { _ in Date(timeIntervalSince1970: 1) } }),
    ]

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ name: String, _ coder: (String, JsonDecoder), _ size: Int = 500,
        _ text: @escaping @Sendable (Int) -> String
    ) -> Growth {
        let decoder = coder.1
        return Growth("\(name), \(coder.0)", size) { size in
            let data = Data(text(size).utf8)
            return { use(try? decoder.decode(Value.self, from: data)) }
        }
    }

    private static func list(_ count: Int, _ element: String) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    private static func table(_ count: Int, _ value: String) -> String {
        "{" + keys(count).map { "\"\($0)\":" + value }.joined(separator: ",") + "}"
    }

    /// Reads an object in every way that a container has.
    struct EveryWay: Decodable {
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: TestKey.self)
            let keys = container.allKeys
            for key in keys.reversed() {
                use(container.contains(key))
                use(try container.decodeNil(forKey: key))
                use(try container.decodeIfPresent(Int.self, forKey: key))
                use(try container.superDecoder(forKey: key))
                use(try? container.nestedContainer(keyedBy: TestKey.self, forKey: key))
                use(try? container.nestedUnkeyedContainer(forKey: key))
                use(container.contains(TestKey("missing")))
            }
            use(try container.superDecoder())
        }
    }

    struct EveryElement: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                use(try container.decodeNil())
                use(try? container.decode(Bool.self))
                var other = container
                use(try other.superDecoder())
                var nested = try container.nestedUnkeyedContainer()
                use(try nested.decodeIfPresent(Int.self))
            }
        }
    }

    static let decoding = decoders.flatMap { coder in
        [
            decode([Item].self, "items", coder) { list($0, #"{"firstName":"a","number":1}"#) },
            decode([Int].self, "numbers", coder, 4_000) { list($0, "1") },
            decode([String].self, "texts", coder, 4_000) { list($0, #""x""#) },
            decode([String: Int].self, "dictionary", coder) { table($0, "1") },
            decode([String: Item].self, "dictionary of items", coder) { table($0, #"{"firstName":"a","number":1}"#) },
            decode([Int: String].self, "dictionary with keys of integers", coder) { size in
                "{" + (0..<size).map { "\"\($0)\":\"\"" }.joined(separator: ",") + "}"
            },
            decode(Item.self, "members that nobody reads", coder, 2_000) { table($0, "[1]") },
            decode(EveryWay.self, "every way", coder, 200) { table($0, "1") },
            decode(EveryElement.self, "every element", coder, 200) { list($0, "[1]") },
            decode(EveryWay.self, "members of one key", coder) { size in
                "{" + Array(repeating: #""a":1"#, count: size).joined(separator: ",") + "}"
            },
            decode([Date].self, "dates", coder, 100) {
                list($0, coder.0 == "defaults" ? "1" : #""2026-03-01T12:00:00Z""#)
            },
            decode([Data].self, "data", coder, 4_000) { size in
                coder.0 == "snake case" ? "[\(list(size, "1"))]" : "[\"\(String(repeating: "AAAA", count: size))\"]"
            },
            decode([Decimal].self, "decimals", coder, 200) { list($0, "1.25") },
            decode([Json].self, "json", coder) { list($0, "[1]") },
            decode(Set<Int>.self, "set", coder) { size in
                "[" + (0..<size).map(\.description).joined(separator: ",") + "]"
            },
            decode([Bool].self, "an error at the end", coder, 2_000) {
                "[" + String(repeating: "true,", count: $0) + "1]"
            },
            decode([String: Int].self, "a long key", coder, 2_000) { size in
                "{\"_" + String(repeating: "a_B", count: size) + "__\":1}"
            },
        ]
    }

    static let others = [
        Growth("a long key to snake case", 2_000) { size in
            let key = String(repeating: "aBcDEF", count: size)
            let encoder = encoders[4].1
            let body = Body { encoder in
                var container = encoder.container(keyedBy: TestKey.self)
                try container.encode(1, forKey: TestKey(key))
            }
            return { use(try encoder.encode(body)) }
        },
        Growth("items to their raw form") { size in
            let items = Array(repeating: Item(), count: size)
            return { use(try items.toRaw()) }
        },
        Growth("items from their raw form") { size in
            let raw = try Array(repeating: Item(), count: size).toRaw()
            return { use(try [Item].from(raw: raw)) }
        },
        Growth("dictionary to its raw form") { size in
            let items = strings(size).mapValues { _ in Item() }
            return { use(try items.toRaw()) }
        },
        Growth("dictionary from its raw form") { size in
            let raw = try strings(size).mapValues { _ in Item() }.toRaw()
            return { use(try [String: Item].from(raw: raw)) }
        },
        Growth("items to their lower layer", 4_000) { size in
            let items = Array(repeating: Item(), count: size)
            return { use(try items.toDTO()) }
        },
        Growth("items from their lower layer", 4_000) { size in
            let items = Array(repeating: Item(), count: size)
            return { use(try [Item].from(dto: items)) }
        },
        Growth("dictionary between layers", 2_000) { size in
            let items = strings(size).mapValues { _ in Item() }
            return { use(try [String: Item].from(dto: items.toDTO())) }
        },
        Growth("json of an encoded value") { size in
            let items = Array(repeating: Item(), count: size)
            return { use(try Json(encoding: items).decode([Item].self)) }
        },
        Growth("parts of a form") { size in
            let fields = Dictionary(uniqueKeysWithValues: keys(size).map { ($0, Data()) })
            return {
                var form = MultipartModel(payloadModel: fields)
                for number in 0..<size {
                    form.append(number, name: "a")
                    form.append(.data(data: Data(), filename: "a.jpg"), name: "a")
                }
                use(form.parts)
            }
        },
        Growth("comparing forms") { size in
            let fields = Dictionary(uniqueKeysWithValues: keys(size).map { ($0, Data([1])) })
            let part = MultipartPart(name: "a", content: .data(Data([1])))
            let first = MultipartModel(payloadModel: fields, parts: Array(repeating: part, count: size))
            let second = MultipartModel(payloadModel: fields, parts: Array(repeating: part, count: size))
            return { use(first == second) }
        },
        Growth("files by name") { size in
            let files = Dictionary(
                uniqueKeysWithValues: keys(size).map { ($0, MultipartFileProvider.data(data: Data(), filename: $0)) })
            return { use(MultipartModel(payloadModel: [String: Data](), filesByName: files)) }
        },
        Growth("a long name of a file", 20_000) { size in
            let name = String(repeating: "a.", count: size)
            return { use(MultipartPart(name: "a", file: .data(data: Data(), filename: name))) }
        },
    ]

    @Test(arguments: encoding) func encodingGrowsWithTheValue(growth: Growth) throws { try growth.check() }

    @Test(arguments: containers) func containersGrowWithTheirMembers(growth: Growth) throws { try growth.check() }

    @Test(arguments: decoding) func decodingGrowsWithTheText(growth: Growth) throws { try growth.check() }

    @Test(arguments: others) func mappingGrowsWithTheModels(growth: Growth) throws { try growth.check() }
}
