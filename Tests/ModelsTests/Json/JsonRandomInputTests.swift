import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A million short inputs, most of them nearly JSON, for the parser, the decoder and the number reader.
struct JsonRandomInputTests {
    private static let seed = DifferentialTests.seed

    private static let tokens: [[UInt8]] = [
        "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "{\"a\":", "\\", "\\u00e9", "\\ud83d\\ude00", "\\ud800",
        "null", "true", "false", "0", "-", "1", ".", "e", "E+", "1e5", "-0.5", "é", "€", "😀", " ", "\n", "\t", "x",
    ].map { Array($0.utf8) }

    /// Tokens, and now and then any byte.
    private func fill(_ input: inout [UInt8], _ generator: inout SeededGenerator) {
        input.removeAll(keepingCapacity: true)
        var bits = generator.next()
        for _ in 0..<(bits & 7) {
            bits >>= 3
            let token = generator.next()
            if token & 0xF00 == 0 {
                input.append(UInt8(truncatingIfNeeded: token))
            } else {
                input += Self.tokens[Int(token >> 32) % Self.tokens.count]
            }
        }
    }

    @Test(arguments: 0..<2)
    func anyTextIsParsedOrIsAnErrorInsideOfIt(part: Int) throws {
        var generator = SeededGenerator(seed: Self.seed &+ UInt64(part))
        var input: [UInt8] = []
        var failures = 0
        for _ in 0..<250_000 where failures < 3 {
            fill(&input, &generator)
            do {
                let json = try Json(parsing: input)
                let again = try Json(parsing: json.serialized())
                if again != json || again.hashValue != json.hashValue { failures += 1 }
            } catch {
                if error.offset > input.count || error.line < 1 || error.column < 1 { failures += 1 }
            }
            #expect(failures == 0, "seed \(Self.seed), \(input)")
        }
    }

    struct Model: Codable {
        var a: [Model]?, b: String?, c: Double?, d: [String: Int]?
    }

    @Test func anyTextIsDecodedOrIsAnError() {
        var generator = SeededGenerator(seed: Self.seed &+ 2)
        var input: [UInt8] = []
        let decoder = JsonDecoder()
        for round in 0..<250_000 {
            fill(&input, &generator)
            guard let json = try? Json(parsing: input) else { continue }
            switch round % 4 {
            case 0:
                if let value = try? decoder.decode(Model.self, from: json) {
                    #expect(throws: Never.self, "seed \(Self.seed), \(input)") {
                        try decoder.decode(Model.self, from: JsonEncoder().encode(value))
                    }
                }
            case 1: _ = try? decoder.decode([String: Model].self, from: json)
            case 2: _ = try? decoder.decode([[Double?]].self, from: json)
            default: _ = try? decoder.decode([String: String].self, from: json)
            }
        }
    }

    @Test func anyNumberIsReadAsTheStandardLibraryReadsIt() throws {
        var generator = SeededGenerator(seed: Self.seed &+ 3)
        let characters = Array("00123456789999..eE+--".utf8)
        var input: [UInt8] = []
        for _ in 0..<250_000 {
            input.removeAll(keepingCapacity: true)
            var bits = generator.next()
            for _ in 0..<(1 + bits & 7) {
                bits = generator.next()
                input.append(characters[Int(bits >> 32) % characters.count])
                // Long ones, too.
                if bits & 0x3F == 0 { input += Array(repeating: 0x37, count: 30) }
            }
            let text = String(decoding: input, as: UTF8.self)
            let json = try? Json(parsing: input)
            guard (json != nil) == isNumber(input) else {
                Issue.record("seed \(Self.seed), \(text)")
                return
            }
            guard let json else { continue }
            let double = try? json.decode(Double.self)
            // What is infinite, or zero without being so, is an error.
            let expected = Double(text).flatMap { $0.isFinite && ($0 != 0 || isZero(input)) ? $0 : nil }
            let isSame = double?.bitPattern == expected?.bitPattern
            let integer = try? json.decode(Int.self)
            if !isSame || Int(text).map({ $0 != integer }) == true || json.int != integer {
                Issue.record("seed \(Self.seed), \(text)")
                return
            }
        }
    }

    /// RFC 8259, section 6.
    private func isNumber(_ input: [UInt8]) -> Bool {
        var rest = input[...]
        func digits() -> Int {
            let end = rest.firstIndex { $0 < 0x30 || $0 > 0x39 } ?? rest.endIndex
            defer { rest = rest[end...] }
            return end - rest.startIndex
        }
        if rest.first == 0x2D { rest.removeFirst() }
        let first = rest.first
        let count = digits()
        if count == 0 || first == 0x30 && count > 1 { return false }
        if rest.first == 0x2E {
            rest.removeFirst()
            if digits() == 0 { return false }
        }
        if rest.first == 0x65 || rest.first == 0x45 {
            rest.removeFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest.removeFirst() }
            if digits() == 0 { return false }
        }
        return rest.isEmpty
    }

    private func isZero(_ input: [UInt8]) -> Bool {
        input.prefix { $0 | 0x20 != 0x65 }.allSatisfy { $0 < 0x31 || $0 > 0x39 }
    }
}
