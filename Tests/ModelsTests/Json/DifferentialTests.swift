import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Foundation's coders and ours on the same generated values and documents.
struct DifferentialTests {
    /// Another one each run; set `JSON_SEED` to repeat a run.
    static let seed: UInt64 =
        ProcessInfo.processInfo.environment["JSON_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)

    static let types: [any Generated.Type] = [
        Scalars.self, Optionals.self, FoundationTypes.self, Collections.self, Shape.self, Holder.self, Everything.self,
    ]

    struct Coders: Sendable {
        var name: String
        var decoder = JsonDecoder()
        var encoder = JsonEncoder()
        var foundationDecoder: @Sendable () -> JSONDecoder = { JSONDecoder() }
        var foundationEncoder: @Sendable () -> JSONEncoder = { JSONEncoder() }
    }

    static let coders: [Coders] = {
        var plain = Coders(name: "defaults")
        plain.encoder.outputFormatting = .sortedKeys
        plain.foundationEncoder = {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return encoder
        }
        var second = Coders(name: "snake case, milliseconds, bytes, pretty")
        second.encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        second.encoder.keyEncodingStrategy = .convertToSnakeCase
        second.encoder.dateEncodingStrategy = .millisecondsSince1970
        second.encoder.dataEncodingStrategy = .deferredToData
        second.decoder.keyDecodingStrategy = .convertFromSnakeCase
        second.decoder.dateDecodingStrategy = .millisecondsSince1970
        second.decoder.dataDecodingStrategy = .deferredToData
        second.foundationEncoder = {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .millisecondsSince1970
            encoder.dataEncodingStrategy = .deferredToData
            return encoder
        }
        second.foundationDecoder = {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .millisecondsSince1970
            decoder.dataDecodingStrategy = .deferredToData
            return decoder
        }
        var third = Coders(name: "custom keys, ISO 8601, custom data")
        third.encoder.outputFormatting = .sortedKeys
        third.encoder.dateEncodingStrategy = .iso8601
        third.encoder.keyEncodingStrategy = .custom { TestKey("x-" + ($0.last?.stringValue ?? "")) }
        third.encoder.dataEncodingStrategy = .custom { data, encoder in try data.count.encode(to: encoder) }
        third.decoder.dateDecodingStrategy = .iso8601
        third.decoder.keyDecodingStrategy = .custom { TestKey(String($0.last?.stringValue.dropFirst(2) ?? "")) }
        third.decoder.dataDecodingStrategy = .custom { Data(count: try Int(from: $0)) }
        third.foundationEncoder = {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .custom { Self.dataKey($0) ?? TestKey("x-" + ($0.last?.stringValue ?? "")) }
            encoder.dataEncodingStrategy = .custom { data, encoder in try data.count.encode(to: encoder) }
            return encoder
        }
        third.foundationDecoder = {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .custom {
                Self.dataKey($0) ?? TestKey(String($0.last?.stringValue.dropFirst(2) ?? ""))
            }
            decoder.dataDecodingStrategy = .custom { Data(count: try Int(from: $0)) }
            return decoder
        }
        return [plain, second, third]
    }()

    /// The key, if it is that of a dictionary whose keys are no strings: Foundation converts those, and this library
    /// doesn't.
    private static func dataKey(_ path: [any CodingKey]) -> TestKey? {
        guard let name = path.dropLast().last?.stringValue, ["byInt", "byColor"].contains(name) else { return nil }
        return path.last.map { TestKey($0.stringValue) }
    }

    @Test(arguments: 0..<3)
    func valuesAreWrittenAndReadAsFoundationDoes(setting: Int) throws {
        let coders = Self.coders[setting]
        var generator = SeededGenerator(seed: Self.seed &+ UInt64(setting))
        for round in 0..<80 {
            for type in Self.types {
                let failure = try roundTrip(type, coders, &generator)
                #expect(failure == nil, "seed \(Self.seed), \(coders.name), round \(round), \(type)")
            }
        }
    }

    private func roundTrip<Value: Generated>(
        _ type: Value.Type, _ coders: Coders, _ generator: inout SeededGenerator
    ) throws -> String? {
        let value = Value(&generator)
        let expected = try coders.foundationEncoder().encode(value)
        let own = try coders.encoder.encode(value)
        if own != expected {
            return "wrote \(String(decoding: own, as: UTF8.self)), not \(String(decoding: expected, as: UTF8.self))"
        }
        // Some settings lose something, or do not even read what they wrote; but both do the same.
        let read = CoderOutcome { try coders.decoder.decode(type, from: expected) }
        let wanted = CoderOutcome { try coders.foundationDecoder().decode(type, from: expected) }
        return read.agrees(with: wanted) ? nil : "read \(read), not \(wanted)"
    }

    @Test(arguments: 0..<2)
    func changedDocumentsGiveTheSameErrorsWithTheSamePaths(setting: Int) throws {
        let coders = Self.coders[setting]
        var generator = SeededGenerator(seed: Self.seed &+ 17 &+ UInt64(setting))
        for _ in 0..<250 {
            for type in Self.types { try changed(type, coders, &generator) }
        }
    }

    private func changed<Value: Generated>(
        _ type: Value.Type, _ coders: Coders, _ generator: inout SeededGenerator
    ) throws {
        var json = try Json(parsing: coders.foundationEncoder().encode(Value(&generator)))
        // One change, for of several errors in a dictionary Foundation reports any.
        json = change(json, &generator)
        let data = json.serialized()
        let expected = CoderOutcome { try coders.foundationDecoder().decode(type, from: data) }
        let own = CoderOutcome { try coders.decoder.decode(type, from: data) }
        #expect(
            own.agrees(with: expected),
            "seed \(Self.seed), \(coders.name), \(type): \(own), not \(expected) for \(String(decoding: data, as: UTF8.self))"
        )
    }

    /// The value with one random place replaced or taken out.
    private func change(_ json: Json, _ generator: inout SeededGenerator) -> Json {
        if json.count > 0, !generator.chance(4) {
            let place = Int.random(in: 0..<json.count, using: &generator)
            if json.kind == .array {
                var elements = Array(json.elements)
                elements[place] = change(elements[place], &generator)
                return Json(elements)
            }
            var members = json.members.map { ($0.key, $0.value) }
            if generator.chance(5) {
                members.remove(at: place)
            } else {
                members[place].1 = change(members[place].1, &generator)
            }
            return members.reduce(into: Json()) { $0[$1.0] = $1.1 }
        }
        var others: [Json] = [
            .null, true, 0, -1, 1.5, 300, 1e300, "text", [], [1, "a", nil], [:], ["a": 1], Json(UInt64.max),
            "2026-03-01T12:00:00Z",
            ["circle": ["radius": 1]],
        ]
        // A URL of Swift 6.0's Foundation may be empty, one of later versions and of this library may not.
        if URL(string: "") == nil { others.append("") }
        return others[Int.random(in: 0..<others.count, using: &generator)]
    }
}

struct TestKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// What a decoder made of a document.
enum CoderOutcome<Value: Equatable>: CustomStringConvertible {
    case value(Value)
    case error(kind: String, path: [String])

    init(_ body: () throws -> Value) {
        func path(_ context: DecodingError.Context) -> [String] {
            context.codingPath.map { $0.intValue.map { "#\($0)" } ?? $0.stringValue }
        }
        do {
            self = .value(try body())
        } catch DecodingError.typeMismatch(let type, let context) {
            self = .error(kind: "typeMismatch \(type)", path: path(context))
        } catch DecodingError.valueNotFound(let type, let context) {
            self = .error(kind: "valueNotFound \(type)", path: path(context))
        } catch DecodingError.keyNotFound(let key, let context) {
            self = .error(kind: "keyNotFound \(key.stringValue)", path: path(context))
        } catch DecodingError.dataCorrupted(let context) {
            self = .error(kind: "dataCorrupted", path: path(context))
        } catch {
            self = .error(kind: "\(error)", path: [])
        }
    }

    /// Differences that `Docs/Models.md` lists are none here.
    func agrees(with foundation: CoderOutcome) -> Bool {
        switch (self, foundation) {
        case (.value(let value), .value(let other)): value == other
        case (.error(let kind, let path), .error(let otherKind, let otherPath)):
            // Foundation names no path where a number does not fit into the type.
            kind == otherKind && (path == otherPath || kind == "dataCorrupted" && otherPath.isEmpty)
        default: false
        }
    }

    var description: String {
        switch self {
        case .value(let value): "\(value)"
        case .error(let kind, let path): "\(kind) at \(path.joined(separator: "/"))"
        }
    }
}
