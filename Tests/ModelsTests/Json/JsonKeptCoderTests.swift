import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decoders and containers that are kept for longer than the call that they were made for, or used again within it.
struct JsonKeptCoderTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JsonDecoder().decode(type, from: Data(text.utf8))
    }

    @Test func aContainerThatIsKeptStaysUsable() throws {
        struct OwnKey: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Keeper: Decodable {
            let container: KeyedDecodingContainer<OwnKey>
            init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: OwnKey.self) }
        }
        struct Pair: Decodable {
            let first: Keeper
            let second: Keeper
        }
        for round in 0..<3 {
            let kept = try decode(
                [Pair].self, #"[{"first":{"a":1,"b":[1]},"second":{"a":2}},{"first":{},"second":{"a":"x"}}]"#)
            _ = try decode([Pair].self, #"[{"first":{"z":\#(round)},"second":{}}]"#)
            let a = OwnKey(stringValue: "a")
            #expect(try kept[0].first.container.decode(Int.self, forKey: a) == 1)
            #expect(try kept[0].first.container.decode([Int].self, forKey: OwnKey(stringValue: "b")) == [1])
            #expect(try kept[0].second.container.decode(Int.self, forKey: a) == 2)
            #expect(try kept[1].second.container.decode(String.self, forKey: a) == "x")
            #expect(kept[1].first.container.allKeys.isEmpty)
            #expect(kept[1].second.container.codingPath.map(\.stringValue) == ["Index 1", "second"])
            #expect(throws: DecodingError.self) { try kept[0].second.container.decode(String.self, forKey: a) }
        }
    }

    @Test func aClassAndTheClassAboveItReadTheSameObject() throws {
        class Base: Decodable {
            let a: Int
            private enum CodingKeys: CodingKey { case a }
            required init(from decoder: any Decoder) throws {
                a = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .a)
            }
        }
        final class Derived: Base {
            let b: Int
            private enum CodingKeys: CodingKey { case b, c }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                b = try container.decode(Int.self, forKey: .b)
                try super.init(from: decoder)
                #expect(try container.decode(Int.self, forKey: .c) == a + b)
            }
        }
        // Values of different types follow each other at one depth.
        struct One: Decodable, Equatable { let x, y: Int }
        struct Two: Decodable, Equatable { let y, x: Int }
        struct Three: Decodable { let one: One, two: Two, derived: Derived, rest: [String: Two], four: Four }
        struct Four: Decodable { let x: Int?, five: Five }
        struct Five: Decodable { let x: Int }
        let text = """
            {"one":{"x":1,"y":2},"two":{"x":3,"y":4},"derived":{"c":3,"b":2,"a":1},"rest":{"k":{"y":6,"x":5}},
            "four":{"five":{"x":7}}}
            """
        for value in try decode([Three].self, "[\(text),\(text),\(text)]") {
            #expect(value.one == One(x: 1, y: 2))
            #expect(value.two == Two(y: 4, x: 3))
            #expect(value.derived.a == 1 && value.derived.b == 2)
            #expect(value.rest == ["k": Two(y: 6, x: 5)])
            #expect(value.four.x == nil && value.four.five.x == 7)
        }
    }

    @Test func decodingsWithinAndBesideEachOtherDoNotMix() async throws {
        struct Inner: Decodable, Equatable { let firstName: String, numbers: [Int] }
        struct Outer: Decodable {
            let inner: Inner
            let after: Int
            private enum CodingKeys: CodingKey { case inner, after }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                var snake = JsonDecoder()
                snake.keyDecodingStrategy = .convertFromSnakeCase
                let text = try container.decode(String.self, forKey: .inner)
                inner = try snake.decode(Inner.self, from: Data(text.utf8))
                after = try container.decode(Int.self, forKey: .after)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<200 {
                        let number = task * 1000 + round
                        let text =
                            #"{"inner":"{\"first_name\":\"\#(number)\",\"numbers\":[1,\#(number)]}","after":\#(number)}"#
                        let values = try JsonDecoder().decode([Outer].self, from: Data("[\(text),\(text)]".utf8))
                        #expect(values.count == 2)
                        for value in values {
                            #expect(value.inner == Inner(firstName: "\(number)", numbers: [1, number]))
                            #expect(value.after == number)
                        }
                        #expect(throws: DecodingError.self) {
                            try JsonDecoder().decode([Outer].self, from: Data("[\(text),{\"inner\":1}]".utf8))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func aKeyIsFreedWithTheDecodingThatItWasUsedIn() throws {
        final class Token: Sendable {}
        final class Witness: @unchecked Sendable {  // one thread's
            weak var token: Token?
        }
        struct TokenKey: CodingKey {
            let stringValue: String
            let token: Token
            var intValue: Int? { nil }
            init(_ name: String, _ token: Token) {
                stringValue = name
                self.token = token
            }
            init(stringValue: String) { self.init(stringValue, Token()) }
            init?(intValue: Int) { nil }
        }
        struct Value: Decodable { let a: Int }
        struct User: Decodable {
            let witness = Witness()
            let value: Value
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: TokenKey.self)
                let token = Token()
                witness.token = token
                value = try container.decode(Value.self, forKey: TokenKey("value", token))
            }
        }
        let users = try decode([User].self, #"[{"value":{"a":1}},{"value":{"a":2}}]"#)
        #expect(users.map(\.value.a) == [1, 2])
        #expect(users.allSatisfy { $0.witness.token == nil })
    }

    @Test func aKeptDecoderOrContainerIsFreedWithItsLastReference() throws {
        struct OwnKey: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct ContainerKeeper: Decodable {
            let container: KeyedDecodingContainer<OwnKey>
            init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: OwnKey.self) }
        }
        struct DecoderKeeper: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                _ = try decoder.container(keyedBy: OwnKey.self)
            }
        }
        func witnessOfDecoding<Value: Decodable>(_ type: Value.Type) throws -> Weak {
            try witness {
                let kept = try $0.decode(type, from: Data(#"{"x":[{"a":1},{"a":2}]}"#.utf8))
                withExtendedLifetime(kept) {}
            }
        }
        let witnesses = [
            try witnessOfDecoding([String: [ContainerKeeper]].self),
            try witnessOfDecoding(ContainerKeeper.self),
            try witnessOfDecoding([String: [DecoderKeeper]].self),
            try witnessOfDecoding(DecoderKeeper.self),
        ]
        for witness in witnesses { #expect(witness.value == nil) }
    }

    @Test func whatAFailureLeavesBehindIsFreed() {
        struct Failing: Decodable {
            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: TestKey.self).superDecoder(forKey: TestKey("a"))
                throw CancellationError()
            }
        }
        let witness = witness { decoder in
            #expect(throws: CancellationError.self) {
                try decoder.decode([String: [Failing]].self, from: Data(#"{"x":[{}]}"#.utf8))
            }
        }
        #expect(witness.value == nil)
    }

    /// A witness of a decoder's settings, which are done with when the body returns.
    private func witness(_ body: (JsonDecoder) throws -> Void) rethrows -> Weak {
        let witness = Witness()
        var decoder = JsonDecoder()
        if let key = CodingUserInfoKey(rawValue: "witness") { decoder.userInfo = [key: Sealed(witness)] }
        try body(decoder)
        return Weak(witness)
    }
}

/// What a decoder's `userInfo` holds, so that it tells whether that is still there.
private final class Witness {}

private struct Weak {
    weak var value: Witness?

    init(_ value: Witness) { self.value = value }
}

/// Carries an object across `userInfo`, which wants Sendable values. Unchecked: nobody reads it there.
private struct Sealed: @unchecked Sendable {
    let value: Witness

    init(_ value: Witness) { self.value = value }
}
