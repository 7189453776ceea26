#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A generator of random numbers whose seed repeats its numbers.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }

    mutating func list<Value>(_ limit: Int, _ make: (inout SeededGenerator) -> Value) -> [Value] {
        (0..<Int.random(in: 0...limit, using: &self)).map { _ in make(&self) }
    }

    mutating func optional<Value>(_ make: (inout SeededGenerator) -> Value) -> Value? { chance(3) ? nil : make(&self) }

    mutating func text() -> String {
        let pieces = [
            "a", "B", "é", "€", "😀", "\"", "\\", "/", "\n", "\t", "\0", "\u{1F}", "\u{7F}", "\u{2028}", " ",
            "plain words", "снег", "e\u{301}",
            "0123456789abcdef", "_", "\u{FFFF}",
        ]
        return list(6) { pieces[Int.random(in: 0..<pieces.count, using: &$0)] }.joined()
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: Double(Int.random(in: -1000...1000, using: &self))
        case 1: Double(Int.random(in: -100_000...100_000, using: &self)) / 100
        case 2: Double.random(in: -1...1, using: &self)
        case 3:
            [
                0, -0.0, .pi, .leastNormalMagnitude, .greatestFiniteMagnitude, Double.leastNonzeroMagnitude, 1e16, 1e15,
                9_007_199_254_740_994, 1e-5,
            ][
                Int.random(in: 0..<10, using: &self)]
        case 4: Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &self)) / 1e6
        default: finite(Double(bitPattern: next()))
        }
    }

    mutating func float() -> Float {
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: next()))
        return chance(2) || !value.isFinite ? Float(Int.random(in: -9999...9999, using: &self)) / 10 : value
    }

    private func finite(_ value: Double) -> Double { value.isFinite ? value : 1.5 }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: [Value.min, .max, 0, 1][Int.random(in: 0..<4, using: &self)]
        case 1: Value(truncatingIfNeeded: next())
        default: Value(truncatingIfNeeded: Int.random(in: 0...100, using: &self))
        }
    }
}

/// A type that can make one of itself.
protocol Generated: Codable, Equatable, Sendable {
    init(_ generator: inout SeededGenerator)
}

struct Scalars: Generated {
    var bool: Bool, int: Int, int8: Int8, int16: Int16, int32: Int32, int64: Int64
    var uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64
    var wide: Int128, unsignedWide: UInt128
    var double: Double, float: Float, string: String

    init(_ generator: inout SeededGenerator) {
        bool = generator.chance(2)
        int = generator.integer()
        int8 = generator.integer()
        int16 = generator.integer()
        int32 = generator.integer()
        int64 = generator.integer()
        uint = generator.integer()
        uint8 = generator.integer()
        uint16 = generator.integer()
        uint32 = generator.integer()
        uint64 = generator.integer()
        wide = generator.integer()
        unsignedWide = generator.integer()
        double = generator.double()
        float = generator.float()
        string = generator.text()
    }
}

struct Optionals: Generated {
    var bool: Bool?, int: Int?, int8: Int8?, uint64: UInt64?, double: Double?, float: Float?, string: String?
    var scalars: Scalars?, list: [Int?], nested: [[String?]]?, date: Date?

    init(_ generator: inout SeededGenerator) {
        bool = generator.optional { $0.chance(2) }
        int = generator.optional { $0.integer() }
        int8 = generator.optional { $0.integer() }
        uint64 = generator.optional { $0.integer() }
        double = generator.optional { $0.double() }
        float = generator.optional { $0.float() }
        string = generator.optional { $0.text() }
        scalars = generator.optional { Scalars(&$0) }
        list = generator.list(4) { $0.optional { $0.integer() } }
        nested = generator.optional { $0.list(3) { $0.list(3) { $0.optional { $0.text() } } } }
        date = generator.optional { Date(timeIntervalSinceReferenceDate: Double($0.integer(Int32.self)) / 8) }
    }
}

struct FoundationTypes: Generated {
    var date: Date, data: Data, url: URL, uuid: UUID, decimal: Decimal, dates: [Date], urls: [String: URL]

    init(_ generator: inout SeededGenerator) {
        func url(_ generator: inout SeededGenerator) -> URL {
            URL(string: "https://example.com/\(generator.integer(UInt16.self))?q=1#f") ?? URL(filePath: "/")
        }
        date = Date(timeIntervalSinceReferenceDate: Double(generator.integer(Int32.self)))
        data = Data(generator.list(20) { $0.integer() })
        self.url = url(&generator)
        uuid = UUID(
            uuid: (
                generator.integer(), generator.integer(), 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                generator.integer()
            ))
        decimal = Decimal(generator.integer(Int64.self)) / 1000
        dates = generator.list(3) { Date(timeIntervalSince1970: Double($0.integer(Int32.self))) }
        urls = Dictionary(generator.list(3) { ($0.text(), url(&$0)) }) { $1 }
    }
}

enum Shape: Generated {
    case point
    case circle(radius: Double)
    case box(Int, label: String?)
    indirect case group([Shape])

    init(_ generator: inout SeededGenerator) {
        self =
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1: .point
            case 2: .circle(radius: generator.double())
            case 3, 4: .box(generator.integer(), label: generator.optional { $0.text() })
            default: .group(generator.list(3) { Shape(&$0) })
            }
    }
}

enum Level: Int, Codable, CaseIterable, Sendable { case low, high }
enum Color: String, Codable, CaseIterable, CodingKeyRepresentable, Sendable { case red, green }

struct Collections: Generated {
    var strings: [String], ints: [Int], doubles: [Double], bools: [Bool], bytes: [UInt8], levels: [Level]
    var table: [String: Int], texts: [String: String], deep: [String: [String: [Double]]], byInt: [Int: String]
    var byColor: [Color: Int], byLevel: [Level: String], set: Set<Int>, shapes: [Shape], optionals: [String: Scalars?]

    init(_ generator: inout SeededGenerator) {
        strings = generator.list(5) { $0.text() }
        ints = generator.list(5) { $0.integer() }
        doubles = generator.list(5) { $0.double() }
        bools = generator.list(5) { $0.chance(2) }
        bytes = generator.list(5) { $0.integer() }
        levels = generator.list(3) { $0.chance(2) ? .low : .high }
        table = Dictionary(generator.list(40) { ($0.text(), $0.integer()) }) { $1 }
        texts = Dictionary(generator.list(3) { ($0.text(), $0.text()) }) { $1 }
        deep = Dictionary(generator.list(2) { ($0.text(), [$0.text(): $0.list(3) { $0.double() }]) }) { $1 }
        byInt = Dictionary(generator.list(3) { ($0.integer(), $0.text()) }) { $1 }
        byColor = generator.chance(2) ? [.red: 1] : [.green: 2]
        byLevel = generator.chance(2) ? [.low: "a"] : [:]
        set = Set(generator.list(1) { $0.integer() })
        shapes = generator.list(3) { Shape(&$0) }
        optionals = Dictionary(generator.list(2) { ($0.text(), $0.optional { Scalars(&$0) }) }) { $1 }
    }
}

/// Classes with `super` encoders, shared containers, nested containers of all kinds, several of them open at once.
class Base: Codable, @unchecked Sendable {
    var id: Int
    var note: String?

    init(id: Int, note: String?) {
        self.id = id
        self.note = note
    }
}

final class Derived: Base, @unchecked Sendable {
    var inner: [Int]
    var name: String
    var matrix: [[Int]]

    private enum Keys: String, CodingKey { case inner, name, matrix, outer, first, second, list }

    init(_ generator: inout SeededGenerator) {
        inner = generator.list(3) { $0.integer() }
        name = generator.text()
        matrix = generator.list(2) { $0.list(2) { $0.integer() } }
        super.init(id: generator.integer(), note: generator.optional { $0.text() })
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let outer = try container.nestedContainer(keyedBy: Keys.self, forKey: .outer)
        name = try outer.decode(String.self, forKey: .first)
        var list = try outer.nestedUnkeyedContainer(forKey: .list)
        inner = []
        while !list.isAtEnd { inner.append(try list.decode(Int.self)) }
        var rows = try container.nestedUnkeyedContainer(forKey: .matrix)
        matrix = []
        while !rows.isAtEnd {
            var row = try rows.nestedUnkeyedContainer()
            var values: [Int] = []
            while !row.isAtEnd { values.append(try row.decode(Int.self)) }
            matrix.append(values)
        }
        try super.init(from: try container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var outer = container.nestedContainer(keyedBy: Keys.self, forKey: .outer)
        var rows = container.nestedUnkeyedContainer(forKey: .matrix)
        try super.encode(to: container.superEncoder())
        // Out of order: the containers stay open side by side.
        try outer.encode(name, forKey: .first)
        var list = outer.nestedUnkeyedContainer(forKey: .list)
        for row in matrix {
            var values = rows.nestedUnkeyedContainer()
            for value in row { try values.encode(value) }
        }
        for value in inner { try list.encode(value) }
        try outer.encode(inner.count, forKey: .second)
    }
}

struct Holder: Generated {
    var derived: Derived
    var after: Int

    init(_ generator: inout SeededGenerator) {
        derived = Derived(&generator)
        after = generator.integer()
    }

    static func == (left: Holder, right: Holder) -> Bool {
        let (first, second) = (left.derived, right.derived)
        return left.after == right.after && first.id == second.id && first.note == second.note
            && first.inner == second.inner
            && first.name == second.name && first.matrix == second.matrix
    }
}

/// Everything at once.
struct Everything: Generated {
    var scalars: Scalars, optionals: Optionals, types: FoundationTypes, collections: Collections, shape: Shape,
        holder: Holder
    var camelCaseName: Int, aURLThing: String, list: [Optionals]

    init(_ generator: inout SeededGenerator) {
        scalars = Scalars(&generator)
        optionals = Optionals(&generator)
        types = FoundationTypes(&generator)
        collections = Collections(&generator)
        shape = Shape(&generator)
        holder = Holder(&generator)
        camelCaseName = generator.integer()
        aURLThing = generator.text()
        list = generator.list(2) { Optionals(&$0) }
    }
}
