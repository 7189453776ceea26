import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Coders on many threads at once, which use the same decoders one after the other.
struct JsonCoderThreadTests {
    @Test func coderCallsRunOnManyThreadsAtOnce() async throws {
        let json = try Json(parsing: #"[{"a":1,"b":["x"]},{"a":2,"b":[]}]"#)
        struct Model: Codable, Equatable { let a: Int, b: [String] }
        let expected = [Model(a: 1, b: ["x"]), Model(a: 2, b: [])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        let decoded = try json.decode([Model].self)
                        #expect(decoded == expected)
                        let again = try Json(encoding: expected).decode([Model].self)
                        #expect(again == expected)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func settingsAreThoseOfOneDecodingAloneOnManyThreads() async throws {
        struct Inner: Decodable { let firstName: String? }
        struct Outer: Decodable { let inner: Inner }
        var converting = JsonDecoder()
        converting.keyDecodingStrategy = .convertFromSnakeCase
        let plain = Data(#"{"inner":{"first_name":"Ann"}}"#.utf8)
        let decoder = converting
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        let converts = (number + turn) % 3 == 0
                        let decoded = try (converts ? decoder : .default).decode(Outer.self, from: plain)
                        #expect(decoded.inner.firstName == (converts ? "Ann" : nil))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
