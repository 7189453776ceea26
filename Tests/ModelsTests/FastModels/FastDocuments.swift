import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes documents for the models of `FastModelTypes`, good and bad: members in any order, missing, `null`, twice and
/// with escaped keys; values of other kinds and out of range; members that no model reads.
struct FastDocuments {
    private var random: SeededGenerator
    /// One of so many values is another one; 0 for none.
    private var faults = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func pick(_ texts: [String]) -> String { texts[number(below: texts.count)] }

    /// A third of the documents is good, a third has about one fault, a third several.
    mutating func next(_ make: (inout FastDocuments) -> String) -> String {
        faults = [0, 60, 12][number(below: 3)]
        return random.chance(100) ? other() : make(&self)
    }

    // MARK: - Parts

    private mutating func other() -> String {
        pick([
            "null", "true", "0", "-1", "1.5", "300", "1e400", "1e-400", "99999999999999999999999999999999999999999",
            "9223372036854775808", "1.0", "\"\"", "\"text\"", "\"low\"", "\"NaN\"", "[]", "[1,\"a\",null]", "{}",
            "{\"a\":1,\"a\":\"b\"}", "\"2026-03-01T12:00:00Z\"", "[[]]", "\"\\u00e9\"", "{\"1\":\"x\",\"y\":\"z\"}",
            "[1,2,3,4]", "-0", "{\"name\":1}",
        ])
    }

    private mutating func value(_ make: (inout FastDocuments) -> String) -> String {
        faults > 0 && random.chance(faults) ? other() : make(&self)
    }

    private mutating func space() -> String { random.chance(8) ? pick([" ", "\n  ", "\t"]) : "" }

    private mutating func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            if unit < 0x20 || unit == 0x22 || unit == 0x5C || unit > 0x7E || random.chance(40) {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result += String(decoding: [unit], as: UTF16.self)
            }
        }
        return result + "\""
    }

    private mutating func key(_ name: String) -> String { quoted(name) + space() + ":" + space() }

    mutating func object(_ members: [(name: String, make: (inout FastDocuments) -> String)]) -> String {
        var texts: [String] = []
        for (name, make) in members {
            if faults > 0, random.chance(faults * 2) { continue }
            if faults > 0, random.chance(faults * 2) {
                // Twice: the last counts, and either may be bad.
                texts.append(key(name) + (random.chance(2) ? other() : value(make)))
            }
            texts.append(key(name) + value(make))
            if random.chance(40) { texts.append(key("unknown") + other()) }
        }
        if random.chance(3) { texts.shuffle(using: &random) }
        return "{" + texts.joined(separator: space() + "," + space()) + space() + "}"
    }

    mutating func array(_ limit: Int, _ make: (inout FastDocuments) -> String) -> String {
        let texts = (0..<number(below: limit + 1)).map { _ in value(make) }
        return "[" + texts.joined(separator: space() + "," + space()) + space() + "]"
    }

    private mutating func table(_ names: [String], _ make: @escaping (inout FastDocuments) -> String) -> String {
        object((0..<number(below: 3)).map { _ in (names[number(below: names.count)], make) })
    }

    private mutating func optional(_ make: (inout FastDocuments) -> String) -> String {
        random.chance(3) ? "null" : make(&self)
    }

    // MARK: - Scalars

    private mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> String {
        let value: Value = random.integer()
        return random.chance(20) ? "\(value).0" : random.chance(20) ? "\(value)e0" : "\(value)"
    }

    private mutating func double() -> String { "\(random.double())" }
    private mutating func text() -> String { quoted(random.text()) }
    private mutating func level() -> String { pick(["\"low\"", "\"high\"", "\"very/high\"", "\"v\\u0065ry\\/high\""]) }
    private mutating func rank() -> String { pick(["1", "2", "-1", "2.0"]) }

    // MARK: - Models

    mutating func scalars() -> String {
        object([
            ("bool", { $0.pick(["true", "false"]) }), ("int", { $0.integer(Int.self) }),
            ("int8", { $0.integer(Int8.self) }), ("int16", { $0.integer(Int16.self) }),
            ("int32", { $0.integer(Int32.self) }), ("int64", { $0.integer(Int64.self) }),
            ("int128", { $0.integer(Int128.self) }), ("uint", { $0.integer(UInt.self) }),
            ("uint8", { $0.integer(UInt8.self) }), ("uint16", { $0.integer(UInt16.self) }),
            ("uint32", { $0.integer(UInt32.self) }), ("uint64", { $0.integer(UInt64.self) }),
            ("uint128", { $0.integer(UInt128.self) }), ("double", { $0.double() }),
            ("float", { "\($0.random.float())" }), ("string", { $0.text() }), ("level", { $0.level() }),
            ("rank", { $0.rank() }),
        ])
    }

    mutating func optionals() -> String {
        object([
            ("bool", { $0.optional { $0.pick(["true", "false"]) } }), ("int", { $0.optional { $0.integer(Int.self) } }),
            ("uint8", { $0.optional { $0.integer(UInt8.self) } }), ("double", { $0.optional { $0.double() } }),
            ("string", { $0.optional { $0.text() } }), ("level", { $0.optional { $0.level() } }),
            ("list", { $0.array(3) { $0.optional { $0.integer(Int.self) } } }),
            ("nested", { $0.optional { $0.array(2) { $0.array(2) { $0.optional { $0.text() } } } } }),
            ("date", { $0.optional { $0.pick(["1.5", "0", "-62135769600"]) } }),
            ("part", { $0.optional { $0.part() } }), ("json", { $0.optional { $0.other() } }),
        ])
    }

    mutating func part() -> String {
        var members: [(String, (inout FastDocuments) -> String)] = [("part \"name\"\n", { $0.text() })]
        if !random.chance(3) { members.append(("parts", { $0.optional { $0.array(1) { $0.part() } } })) }
        members.append(("weight", { $0.double() }))
        return object(members)
    }

    mutating func foundationTypes() -> String {
        let date: (inout FastDocuments) -> String = {
            $0.pick(["1.5", "0", "\"2026-03-01T12:00:00Z\"", "\"2026-03-01T12:00:00Z\""])
        }
        let url: (inout FastDocuments) -> String = { $0.pick(["\"https://a.example/b?c=d#e\"", "\"/x\"", "\"\\/y\""]) }
        return object([
            ("date", date), ("data", { $0.pick(["\"AAEC\"", "\"AAEC\"", "[1,2,255]", "\"A\""]) }), ("url", url),
            (
                "uuid",
                { $0.pick(["\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", "\"e621e1f8-C36C-495a-93fc-0c247a3e6e5f\""]) }
            ),
            ("decimal", { $0.pick(["1.25", "-12345678901234567890.5", "0", "1e10"]) }), ("json", { $0.other() }),
            ("dates", { $0.array(2, date) }), ("urls", { $0.table(["a", "b", "c d"], url) }),
        ])
    }

    mutating func collections() -> String {
        object([
            ("strings", { $0.array(3) { $0.text() } }), ("ints", { $0.array(3) { $0.integer(Int.self) } }),
            ("doubles", { $0.array(3) { $0.double() } }), ("bytes", { $0.array(3) { $0.integer(UInt8.self) } }),
            ("levels", { $0.array(3) { $0.level() } }), ("parts", { $0.array(2) { $0.part() } }),
            ("table", { $0.table(["a", "b", ""]) { $0.integer(Int.self) } }),
            ("deep", { $0.table(["x"]) { $0.table(["y"]) { $0.array(2) { $0.double() } } } }),
            ("byInt", { $0.table(["1", "-2", "01", "x"]) { $0.text() } }),
            ("byRank", { $0.pick(["[]", "[1,5]", "[2,5,2,6]", "[1]", "[3,4]"]) }),
            ("bySide", { $0.table(["left", "right", "left", "up"]) { $0.level() } }),
            ("set", { $0.array(1) { $0.text() } }), ("optionals", { $0.table(["a"]) { $0.optional { $0.part() } } }),
        ])
    }

    mutating func inside() -> String {
        object([
            ("before", { $0.integer(Int.self) }), ("scalars", { $0.optional { $0.scalars() } }),
            ("parts", { $0.array(3) { $0.part() } }), ("table", { $0.table(["a"]) { $0.part() } }),
            ("level", { $0.level() }), ("optional", { $0.optionals() }),
            ("levels", { $0.array(3) { $0.optional { $0.level() } } }),
            ("byRank", { $0.pick(["[]", "[1,\"low\"]", "[2,\"x\"]"]) }),
        ])
    }
}
