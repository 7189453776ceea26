import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Types that continue after a member, an element or a whole value could not be encoded.
struct JsonEncodingFailureTests {
    struct Failure: Error {}

    struct Failing: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: TestKey.self)
            try container.encode(1, forKey: TestKey("begun"))
            throw Failure()
        }
    }

    /// Runs a body on an encoder.
    struct Body: Encodable {
        let run: (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try run(encoder) }
    }

    private func text(_ run: @escaping (any Encoder) throws -> Void) throws -> String {
        var encoder = JsonEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(Body(run: run)), as: UTF8.self)
    }

    @Test func aFailedMemberLeavesTheContainerBeforeItAlone() throws {
        let nested = try text { encoder in
            var container = encoder.container(keyedBy: TestKey.self)
            var meta = container.nestedContainer(keyedBy: TestKey.self, forKey: TestKey("meta"))
            try? container.encode(Failing(), forKey: TestKey("bad"))
            try container.encode(true, forKey: TestKey("ok"))
            try meta.encode(1, forKey: TestKey("a"))
        }
        #expect(nested == #"{"meta":{"a":1},"ok":true}"#)
        let list = try text { encoder in
            var container = encoder.unkeyedContainer()
            var first = container.nestedUnkeyedContainer()
            try? container.encode(Failing())
            try container.encode(true)
            try first.encode(1)
        }
        #expect(list == "[[1],true]")
        let above = try text { encoder in
            var container = encoder.container(keyedBy: TestKey.self)
            let above = container.superEncoder()
            try? container.encode(Failing(), forKey: TestKey("bad"))
            try container.encode(true, forKey: TestKey("ok"))
            try "x".encode(to: above)
        }
        #expect(above == #"{"ok":true,"super":"x"}"#)
    }

    @Test func aFailedMemberDoesNotReplaceTheOneThatHadItsKey() throws {
        let twice = try text { encoder in
            var container = encoder.container(keyedBy: TestKey.self)
            try container.encode(1, forKey: TestKey("a"))
            try container.encode(2, forKey: TestKey("b"))
            try? container.encode(Failing(), forKey: TestKey("a"))
            try container.encode(3, forKey: TestKey("c"))
        }
        #expect(twice == #"{"a":1,"b":2,"c":3}"#)
    }

    @Test func anotherValueMayTakeThePlaceOfOneThatFailed() throws {
        let text = try text { encoder in
            var container = encoder.singleValueContainer()
            do { try container.encode(Failing()) } catch { try container.encode("none") }
        }
        #expect(text == #""none""#)
    }

    @Test func aValueThatWritesToItsParentIsAnError() {
        #expect(throws: EncodingError.self) {
            try text { encoder in
                var container = encoder.container(keyedBy: TestKey.self)
                var other = container
                let body = Body { _ in try other.encode(1, forKey: TestKey("b")) }
                try container.encode(body, forKey: TestKey("a"))
            }
        }
        #expect(throws: EncodingError.self) {
            try text { encoder in
                var container = encoder.container(keyedBy: TestKey.self)
                try container.encode(1, forKey: TestKey("a"))
                var single = encoder.singleValueContainer()
                try single.encode(["b": 2])
            }
        }
    }

    /// Foundation's encoder traps after some failures, so that it gets what is left without them.
    @Test(arguments: 0..<4)
    func randomEncodingsWithFailuresAreWrittenAsFoundationDoes(part: Int) throws {
        let seed = DifferentialTests.seed &+ UInt64(part)
        var generator = SeededGenerator(seed: seed)
        let formats: [(JsonEncoder.OutputFormatting, JSONEncoder.OutputFormatting)] = [
            (.sortedKeys, .sortedKeys), ([.sortedKeys, .prettyPrinted], [.sortedKeys, .prettyPrinted]),
        ]
        var differences: [String] = []
        for round in 0..<5_000 where differences.count < 3 {
            let value = RandomEncoding(&generator, depth: 0)
            let (format, foundationFormat) = formats[round % 2]
            var encoder = JsonEncoder()
            encoder.outputFormatting = format
            let foundation = JSONEncoder()
            foundation.outputFormatting = foundationFormat
            let own = try? encoder.encode(value)
            let expected = try value.survivor.map { try foundation.encode($0) }
            if own != expected {
                func text(_ data: Data?) -> String { data.map { String(decoding: $0, as: UTF8.self) } ?? "an error" }
                differences.append("round \(round): wrote \(text(own)), not \(text(expected))")
            }
            // Without sorting the order is free, but the text means the same.
            if let expected, let unsorted = try? JsonEncoder().encode(value),
                try Json(parsing: unsorted) != Json(parsing: expected)
            {
                differences.append("round \(round): \(String(decoding: unsorted, as: UTF8.self)) means something else")
            }
        }
        #expect(differences.isEmpty, "seed \(seed)")
    }
}

/// A value that writes random members and elements, some of which fail, into containers that it opens in any order.
struct RandomEncoding: Encodable {
    indirect enum Value {
        case number(Int)
        case double(Double)
        case text(String)
        case list([Value])
        case table([String: Value])
        case encoding(RandomEncoding)
    }

    enum Operation {
        case write(Value)
        case openObject
        case openArray
        case openSuper
    }

    struct Step {
        let operation: Operation
        /// Which of the containers that are open it goes to.
        let target: Int
        let key: Int
        let toleratesFailure: Bool
    }

    let isArray: Bool
    let steps: [Step]
    let fails: Bool

    init(_ generator: inout SeededGenerator, depth: Int) {
        isArray = generator.chance(3)
        fails = depth > 0 && generator.chance(4)
        steps = generator.list(depth == 0 ? 8 : 4) { generator in
            let operation: Operation =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: .openObject
                case 1: .openArray
                case 2: .openSuper
                default: .write(Self.value(&generator, depth + 1))
                }
            return Step(
                operation: operation, target: Int.random(in: 0..<8, using: &generator),
                key: Int.random(in: 0..<4, using: &generator), toleratesFailure: !generator.chance(20))
        }
    }

    private static func value(_ generator: inout SeededGenerator, _ depth: Int) -> Value {
        switch Int.random(in: 0..<(depth > 3 ? 3 : 8), using: &generator) {
        case 0: .number(Int.random(in: -5...5, using: &generator))
        case 1: .double(generator.chance(3) ? .nan : 0.5)
        case 2: .text(generator.text())
        case 3: .list(generator.list(3) { value(&$0, depth + 1) })
        case 4:
            .table(
                Dictionary(generator.list(3) { ($0.text(), value(&$0, depth + 1)) }, uniquingKeysWith: { $1 }))
        default: .encoding(RandomEncoding(&generator, depth: depth))
        }
    }

    /// The same without what fails; nil if it fails as a whole.
    var survivor: RandomEncoding? {
        guard !fails else { return nil }
        var surviving: [Step] = []
        for step in steps {
            guard case .write(let value) = step.operation else {
                surviving.append(step)
                continue
            }
            if let value = value.survivor {
                surviving.append(
                    Step(operation: .write(value), target: step.target, key: step.key, toleratesFailure: false))
            } else if !step.toleratesFailure {
                return nil
            }
        }
        return RandomEncoding(isArray: isArray, steps: surviving, fails: false)
    }

    private init(isArray: Bool, steps: [Step], fails: Bool) {
        self.isArray = isArray
        self.steps = steps
        self.fails = fails
    }

    private enum Container {
        case keyed(KeyedEncodingContainer<TestKey>)
        case unkeyed(any UnkeyedEncodingContainer)
    }

    func encode(to encoder: any Encoder) throws {
        var containers: [Container] = [
            isArray ? .unkeyed(encoder.unkeyedContainer()) : .keyed(encoder.container(keyedBy: TestKey.self))
        ]
        for step in steps {
            do {
                try run(step, &containers)
            } catch  where step.toleratesFailure {
                continue
            }
        }
        if fails { throw JsonEncodingFailureTests.Failure() }
    }

    private func run(_ step: Step, _ containers: inout [Container]) throws {
        let target = step.target % containers.count
        switch (containers[target], step.operation) {
        case (.keyed(var container), .write(let value)):
            let key = TestKey("k\(step.key)")
            switch value {
            case .list(let values): try container.encode(values, forKey: key)
            case .table(let values): try container.encode(values, forKey: key)
            default: try container.encode(value, forKey: key)
            }
        case (.keyed(var container), .openObject):
            let key = TestKey("n\(step.key)")
            containers.append(.keyed(container.nestedContainer(keyedBy: TestKey.self, forKey: key)))
        case (.keyed(var container), .openArray):
            containers.append(.unkeyed(container.nestedUnkeyedContainer(forKey: TestKey("u\(step.key)"))))
        case (.keyed(var container), .openSuper):
            let encoder = container.superEncoder(forKey: TestKey("s\(containers.count)"))
            containers.append(.keyed(encoder.container(keyedBy: TestKey.self)))
        case (.unkeyed(var container), .write(let value)):
            switch value {
            case .list(let values): try container.encode(values)
            case .table(let values): try container.encode(values)
            default: try container.encode(value)
            }
            containers[target] = .unkeyed(container)
        case (.unkeyed(var container), .openObject):
            containers.append(.keyed(container.nestedContainer(keyedBy: TestKey.self)))
            containers[target] = .unkeyed(container)
        case (.unkeyed(var container), _):
            // Foundation puts the value of a `superEncoder` where the array ends when that is released.
            containers.append(.unkeyed(container.nestedUnkeyedContainer()))
            containers[target] = .unkeyed(container)
        }
    }
}

extension RandomEncoding.Value: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .number(let value): try value.encode(to: encoder)
        case .double(let value): try value.encode(to: encoder)
        case .text(let value): try value.encode(to: encoder)
        case .list(let values): try values.encode(to: encoder)
        case .table(let values): try values.encode(to: encoder)
        case .encoding(let value): try value.encode(to: encoder)
        }
    }
}

extension RandomEncoding.Value {
    /// The same without what fails; nil if it fails as a whole.
    var survivor: Self? {
        switch self {
        case .number, .text: return self
        case .double(let value): return value.isNaN ? nil : self
        case .encoding(let value): return value.survivor.map { .encoding($0) }
        case .list(let values):
            let survivors = values.compactMap(\.survivor)
            return survivors.count == values.count ? .list(survivors) : nil
        case .table(let values):
            let survivors = values.compactMapValues(\.survivor)
            return survivors.count == values.count ? .table(survivors) : nil
        }
    }
}
