import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The models of CoreNetKit's sample, unchanged.

enum MemberType: Int, Codable, Sendable {
    case owner
    case member
}

struct PhotoEntry: Codable, Equatable {
    let id: String
    let ref: String
}

extension PhotoEntry: RawMappable {
    typealias Raw = Json
}

struct UserEntry: Codable {
    let name: String
    let age: Int
    let type: MemberType
    let photos: [PhotoEntry]
}

extension UserEntry: RawMappable {
    typealias Raw = Json
}

struct Photo: Equatable {
    let id: String
    let image: String
}

extension Photo: DTOConvertible {
    typealias DTO = PhotoEntry

    static func from(dto: PhotoEntry) throws -> Photo {
        .init(id: dto.id, image: dto.ref)
    }

    func toDTO() throws -> PhotoEntry { PhotoEntry(id: id, ref: image) }
}

struct User {
    let name: String
    let age: Int
    let type: MemberType
    let photos: [Photo]
}

extension User: DTODecodable {
    typealias DTO = UserEntry

    static func from(dto: UserEntry) throws -> User {
        try .init(name: dto.name, age: dto.age, type: dto.type, photos: .from(dto: dto.photos))
    }
}

struct City: JsonModel, Equatable {
    let name: String
}

struct ForeignCoders: Codable, RawMappable, Equatable {
    typealias Raw = Json
    var name: String

    static func from(raw: Json) throws -> ForeignCoders {
        var value = try JSONDecoder().decode(ForeignCoders.self, from: raw.data)
        value.name += " (Foundation)"
        return value
    }

    func toRaw() throws -> Json { try Json(parsing: JSONEncoder().encode(["foreign": name])) }
}

struct SnakeCase: JsonModel, Equatable {
    let firstName: String

    static var jsonDecoder: JsonDecoder {
        var decoder = JsonDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}

struct MappingTests {
    @Test func theSampleOfCoreNetKitMapsThroughBothLayers() throws {
        let raw = try Json(
            parsing: #"{"name":"Ada","age":36,"type":1,"photos":[{"id":"1","ref":"a.png"},{"id":"2","ref":"b.png"}]}"#)
        let user = try User.from(dto: .from(raw: raw))
        #expect(user.name == "Ada")
        #expect(user.age == 36)
        #expect(user.type == .member)
        #expect(user.photos == [Photo(id: "1", image: "a.png"), Photo(id: "2", image: "b.png")])
    }

    @Test func oneLayerNeedsOneWord() throws {
        let city = try City.from(dto: .from(raw: ["name": "Kazan"]))
        #expect(city == City(name: "Kazan"))
        #expect(try city.toDTO().toRaw() == ["name": "Kazan"])
    }

    @Test func jsonIsItsOwnModelInEveryLayer() throws {
        let json: Json = [1, "a", nil]
        #expect(try Json.from(dto: .from(raw: json)) == json)
        #expect(try json.toDTO().toRaw() == json)
    }

    @Test(arguments: ["null", "{}", "[]"])
    func nothingIsAnEmptyArray(text: String) throws {
        let raw = try Json(parsing: text)
        #expect(try [PhotoEntry].from(raw: raw) == [])
        #expect(try [Photo].from(dto: .from(raw: raw)) == [])
    }

    @Test func anEmptyBodyIsAnEmptyArrayAndANilOptional() throws {
        #expect(try [PhotoEntry].from(raw: Json()) == [])
        #expect(try [String: PhotoEntry].from(raw: Json()) == [:])
        #expect(try PhotoEntry?.from(raw: Json()) == nil)
        #expect(try PhotoEntry?.from(raw: .null) == nil)
    }

    @Test func collectionsMapInBothLayersAndBothWays() throws {
        let list = [Photo(id: "1", image: "a"), Photo(id: "2", image: "b")]
        let raw: Json = [["id": "1", "ref": "a"], ["id": "2", "ref": "b"]]
        #expect(try list.toDTO().toRaw() == raw)
        #expect(try [Photo].from(dto: .from(raw: raw)) == list)
        let table = ["x": list[0]]
        #expect(try table.toDTO().toRaw() == ["x": ["id": "1", "ref": "a"]])
        #expect(try [String: Photo].from(dto: .from(raw: ["x": ["id": "1", "ref": "a"]])) == table)
        let one: Photo? = list[0]
        #expect(try one.toDTO().toRaw() == ["id": "1", "ref": "a"])
        let none: Photo? = nil
        #expect(try none.toDTO().toRaw() == .null)
        #expect(try [[Photo]].from(dto: .from(raw: [raw, nil])) == [list, []])
    }

    @Test func errorsNameTheWholePath() throws {
        let raw: Json = [["id": "1", "ref": "a"], ["id": 2, "ref": "b"]]
        let error = thrown(DecodingError.self) { try [PhotoEntry].from(raw: raw) }
        guard case .typeMismatch(let type, let context) = error else { throw try #require(error) }
        #expect(ObjectIdentifier(type) == ObjectIdentifier(String.self))
        #expect(context.codingPath.map(\.stringValue) == ["Index 1", "id"])
        #expect(context.codingPath.first?.intValue == 1)
    }

    @Test func anArrayWhereJsonHasNoneIsATypeMismatch() throws {
        let error = thrown(DecodingError.self) { try [PhotoEntry].from(raw: ["id": "1"]) }
        guard case .typeMismatch(let type, _) = error else { throw try #require(error) }
        #expect(ObjectIdentifier(type) == ObjectIdentifier([PhotoEntry].self))
    }

    @Test func aModelBringsItsOwnCodersAlsoWithinCollections() throws {
        let raw: Json = [["name": "a"], ["name": "b"]]
        let list = try [ForeignCoders].from(raw: raw)
        #expect(list.map(\.name) == ["a (Foundation)", "b (Foundation)"])
        #expect(try list.toRaw() == [["foreign": "a (Foundation)"], ["foreign": "b (Foundation)"]])
        #expect(try SnakeCase.from(raw: ["first_name": "Ada"]) == SnakeCase(firstName: "Ada"))
        #expect(try [SnakeCase].from(raw: [["first_name": "Ada"]]) == [SnakeCase(firstName: "Ada")])
    }

    @Test func ofMembersWithTheSameKeyTheLastIsMapped() throws {
        let raw = try Json(parsing: Data(#"{"x":{"id":"bad"},"y":{"id":2},"x":{"id":1}}"#.utf8))
        let numbers = try [String: Numbered].from(raw: raw)
        #expect(numbers.mapValues(\.id) == ["x": 1, "y": 2])
        let bad = try Json(parsing: Data(#"{"x":{"id":1},"x":{"id":"bad"}}"#.utf8))
        #expect(throws: DecodingError.self) { try [String: Numbered].from(raw: bad) }
    }

    struct Numbered: Codable, RawMappable {
        var id: Int
    }

    /// Its own lower layer, which checks and changes itself. The text is longer than a `String` keeps in itself.
    struct Checked: JsonModel, Equatable {
        struct Refused: Error, Equatable {
            let name: String
        }

        var name: String

        static func text(_ number: Int) -> String { "a name that lives in memory of its own, \(number)" }

        static func from(dto: Checked) throws -> Checked {
            guard !dto.name.hasSuffix("!") else { throw Refused(name: dto.name) }
            return Checked(name: dto.name + "?")
        }
    }

    @Test(arguments: 1...5)
    func elementsThatAreTheirOwnLayerAreMappedEach(count: Int) throws {
        let names = (0..<count).map { Checked.text($0) }
        let raw = Json(names.map { ["name": Json($0)] })
        #expect(try [Checked].from(dto: .from(raw: raw)).map(\.name) == names.map { $0 + "?" })

        let entries = try [Checked].from(raw: raw)
        #expect(try [Checked].from(dto: entries).map(\.name) == names.map { $0 + "?" })
        #expect(entries.map(\.name) == names)

        for refused in 0..<count {
            var changed = entries
            changed[refused].name += "!"
            changed[count - 1].name += "!"
            let kept = changed
            #expect(throws: Checked.Refused(name: kept[refused].name)) { try [Checked].from(dto: kept) }
            #expect(kept.map(\.name).filter { $0.hasSuffix("!") }.count == (refused == count - 1 ? 1 : 2))
            let broken = try kept.toRaw()
            #expect(throws: Checked.Refused(name: kept[refused].name)) {
                try [Checked].from(dto: .from(raw: broken))
            }
        }
    }
}
