import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Short texts of many elements that are meant for large models: the first that fails ends it, before memory for all
/// of them is asked for, which no machine would have.
struct ReservationTests {
    struct Failure: Error {}

    struct Eight<Element: Sendable>: Sendable {
        let values: (Element, Element, Element, Element, Element, Element, Element, Element)
    }

    /// 32 KiB.
    typealias Block = Eight<Eight<Eight<Eight<Int>>>>

    struct Large: RawDecodable, DTODecodable, Decodable {
        typealias Raw = Json
        typealias DTO = Json
        let block: Block

        static func from(raw: Json) throws -> Large { throw Failure() }
        static func from(dto: Json) throws -> Large { throw Failure() }
        init(from decoder: any Decoder) throws { throw Failure() }
    }

    private static let count = 4_000_000

    /// 8 MB, as large models 128 GB.
    static let array = json("[" + String(repeating: "0,", count: count - 1) + "0]")

    /// Members with one key.
    static let object = json("{" + String(repeating: #""":0,"#, count: count / 2 - 1) + #""":0}"#)

    private static func json(_ text: String) -> Json { (try? Json(parsing: Data(text.utf8))) ?? .null }

    @Test func aFailingFirstElementNeedsNoMemoryForTheOthers() {
        #expect(Self.array.count == Self.count)
        #expect(throws: Failure.self) { try [Large].from(raw: Self.array) }
        #expect(throws: Failure.self) { try JsonDecoder().decode([Large].self, from: Self.array) }
        #expect(throws: Failure.self) { try Self.array.elements.map { try Large.from(raw: $0) } }
    }

    @Test func aFailingFirstMemberNeedsNoMemoryForTheOthers() {
        #expect(Self.object.count == Self.count / 2)
        #expect(throws: Failure.self) { try [String: Large].from(raw: Self.object) }
        #expect(throws: Failure.self) { try JsonDecoder().decode([String: Large].self, from: Self.object) }
        #expect(throws: Failure.self) { try Self.object.members.map { try Large.from(raw: $0.value) } }
    }

    @Test func aFailingFirstModelNeedsNoMemoryForTheOthers() {
        #expect(throws: Failure.self) { try [Large].from(dto: [Json](repeating: 0, count: Self.count)) }
    }

    @Test func collectionsLargerThanWhatIsReservedAreWhole() throws {
        struct Item: JsonModel, Equatable {
            let value: Int
        }
        let numbers = Array(0..<140_000)
        #expect(try JsonDecoder().decode([Int].self, from: JsonEncoder().encode(numbers)) == numbers)
        let items = (0..<135_000).map { Item(value: $0) }
        let raw = try items.toRaw()
        #expect(try [Item].from(raw: raw) == items)
        #expect(try [Item].from(dto: items) == items)
        #expect(try JsonDecoder().decode([Item].self, from: raw) == items)
        #expect(raw.elements.map(\.count).count == items.count)
    }
}
