import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What `Json` cannot encode, or another encoder has no place for, is an error and never another value.
struct JsonEncodingLimitTests {
    @Test func whatIsNestedDeeperThanAnyDecoderReadsIsAnError() throws {
        let limits = JsonLimits(maximumDepth: .max)
        let deepest = try Json(
            parsing: String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), limits: limits)
        #expect(try Json(encoding: deepest).count == 1)
        #expect(throws: EncodingError.self) { try Json(encoding: [deepest]) }
        #expect(throws: EncodingError.self) { try Json(encoding: ["a": deepest]) }
        #expect(throws: EncodingError.self) { try JsonEncoder().encode([deepest]) }
        struct Nesting: Encodable {
            let json: Json

            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                var nested = container.nestedUnkeyedContainer()
                try nested.encode(json)
            }
        }
        #expect(throws: EncodingError.self) { try Json(encoding: Nesting(json: deepest[0] ?? .null)) }
        #expect(try Json(encoding: Nesting(json: deepest[0]?[0] ?? .null)).count == 1)
    }

    @Test(arguments: ["1e-400", "-1e-400", "0.0000000001e-320", "[1e-400]", "1e400", #"{"a":[-1e-4000]}"#])
    func aNumberThatAnotherEncoderHasNoPlaceForIsAnError(text: String) throws {
        let json = try Json(parsing: text)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(json) }
        #expect(try JsonEncoder().encode(json) == json.data)
    }

    @Test(arguments: ["0", "-0", "0e5", "0.0e-999", "1e-300", "5e-324", "1e-100", "0.1", "123456789012345678901234567"])
    func aNumberThatAnotherEncoderHasAPlaceForIsKept(text: String) throws {
        let json = try Json(parsing: text)
        #expect(try Json(parsing: JSONEncoder().encode(json)) == json)
    }
}
