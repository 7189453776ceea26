import Models
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Arrays of models, which are decoded at once where the models have the default `from(raw:)`.
struct ModelArrayTests {
    private struct City: JsonModel, Equatable {
        let name: String
        var districts: [City]?
    }

    private enum Failure: Error, Equatable { case wrong(String) }

    private struct Picky: JsonModel, Equatable {
        let name: String

        init(from decoder: any Decoder) throws {
            #expect(decoder.codingPath.isEmpty)
            name = try decoder.singleValueContainer().decode(String.self)
            if name == "wrong" { throw Failure.wrong(name) }
        }
    }

    @Test(arguments: [0, 1, 2, 3, 100])
    func everyElementIsDecoded(count: Int) throws {
        let cities = (0..<count).map { City(name: "city \($0)", districts: [City(name: "a"), City(name: "b")]) }
        let raw = try cities.toRaw()
        #expect(try [City].from(raw: raw) == cities)
        #expect(try [City].from(raw: Json(parsing: raw.data)) == cities)
        #expect(try [[City]].from(raw: Json(parsing: Data("[\(raw),\(raw)]".utf8))) == [cities, cities])
        #expect(try [City?].from(raw: Json(parsing: #"[null,{"name":"a"},{}]"#)) == [nil, City(name: "a"), nil])
    }

    @Test(arguments: 0..<4)
    func anErrorNamesTheElementAndThePathWithin(index: Int) throws {
        var texts = Array(repeating: #"{"name":"a","districts":[{"name":"b"}]}"#, count: 4)
        texts[index] = #"{"name":"a","districts":[{"name":"b"},{"name":1}]}"#
        let raw = try Json(parsing: "[\(texts.joined(separator: ","))]")
        let error = thrown(DecodingError.self) { try [City].from(raw: raw) }
        guard case .typeMismatch(_, let context) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(context.codingPath.map(\.stringValue) == ["Index \(index)", "districts", "Index 1", "name"])
        #expect(context.codingPath.map(\.intValue) == [index, nil, 1, nil])
    }

    @Test func eachElementIsARootAndItsOwnErrorsStay() throws {
        let raw: Json = try Json(parsing: #"["a","b","wrong","c"]"#)
        #expect(throws: Failure.wrong("wrong")) { try [Picky].from(raw: raw) }
        #expect(try [Picky].from(raw: Json(parsing: #"["a","b"]"#)).map(\.name) == ["a", "b"])
    }

    @Test func aTypeWithAnotherFromRawIsAskedOnceForEachElement() throws {
        struct Counted: Decodable, RawDecodable, DTODecodable {
            typealias Raw = Json
            typealias DTO = Self
            static let calls = Mutex<[Int]>([])
            let number: Int

            static func from(raw: Json) throws -> Counted {
                calls.withLock { $0.append(raw.int ?? -1) }
                // Decodes the same value in the default way of another type.
                return Counted(number: try Wrapped.from(raw: raw).number + 1)
            }
        }
        struct Wrapped: JsonModel {
            let number: Int
            init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
        }
        #expect(try [Counted].from(raw: Json(parsing: "[1,2,3]")).map(\.number) == [2, 3, 4])
        #expect(Counted.calls.withLock { $0 } == [1, 2, 3])
    }

    @Test func theDecoderOfTheTypeIsUsed() throws {
        struct Snake: JsonModel, Equatable {
            let firstName: String
            static var jsonDecoder: JsonDecoder {
                var decoder = JsonDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            }
        }
        let raw = try Json(parsing: #"[{"first_name":"Ada"},{"first_name":"Grace"}]"#)
        #expect(try [Snake].from(raw: raw).map(\.firstName) == ["Ada", "Grace"])
    }

    @Test func elementsThatKeepTheirDecoderDontShareIt() throws {
        struct Keeper: JsonDecodableModel, @unchecked Sendable {  // one thread's
            let decoder: any Decoder
            let rest: Json
            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                rest = try decoder.container(keyedBy: TestKey.self).decode(Json.self, forKey: TestKey("a"))
            }
        }
        let keepers = try [Keeper].from(raw: Json(parsing: #"[{"a":0},{"a":1},{"a":[2,{"a":3}]}]"#))
        #expect(keepers.map { $0.rest.description } == ["0", "1", #"[2,{"a":3}]"#])
        for (index, keeper) in keepers.enumerated() {
            let container = try keeper.decoder.container(keyedBy: TestKey.self)
            #expect(try container.decode(Json.self, forKey: TestKey("a")) == keeper.rest, "\(index)")
        }
        // The first element's document has served to find out how elements are decoded.
        #expect(try [Json].from(raw: keepers[2].rest).count == 2)
    }
}
