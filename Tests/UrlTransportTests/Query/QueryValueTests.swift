import Foundation
import TestSupport
import Testing
import UrlTransport

private enum Color: String { case red, green }
private enum Size: Int { case small = 1 }
private enum Wrapped: RawRepresentable {
    case color(Color)
    init?(rawValue: Color) { self = .color(rawValue) }
    var rawValue: Color { if case .color(let color) = self { color } else { .red } }
}
private struct Opaque {}
private struct Flags: OptionSet {
    let rawValue: Int
}

struct QueryValueTests {
    @Test func swiftValuesHaveTheirForm() async throws {
        let query: [String: Any] = [
            "bool": true, "character": Character("x"), "double": 2.5, "float": Float(0.5), "int": -7, "int8": Int8(3),
            "string": "text", "substring": "text".dropFirst(), "uint64": UInt64.max, "large": 1e300,
        ]
        #expect(
            try await injected(query)
                == "bool=1&character=x&double=2.5&float=0.5&int=-7&int8=3&large=1e%2B300&string=text&substring=ext"
                + "&uint64=18446744073709551615")
    }

    @Test func aFoundationNumberIsABooleanOnlyWhereItWasMadeOfOne() async throws {
        let query: [String: Any] = [
            "double": NSNumber(value: 1.5), "int": NSNumber(value: 1), "int8": NSNumber(value: Int8(1)),
            "large": NSNumber(value: UInt64.max), "list": [NSNumber(value: 1), NSNumber(value: true)],
            "no": NSNumber(value: false), "yes": NSNumber(value: true), "zero": NSNumber(value: 0),
            "decimal": NSDecimalNumber(string: "0.25"), "text": NSString("1"),
        ]
        let encoder = QueryEncoder(boolStrategy: URLQueryBoolEncodingDefaultStrategy.asBool)
        let written = try await injected(URLQueryConfigModel(query: query, encoder: encoder))
        #expect(
            written
                == "http://a.example/?decimal=0.25&double=1.5&int=1&int8=1&large=18446744073709551615"
                + "&list%5B%5D=1&list%5B%5D=true&no=false&text=1&yes=true&zero=0")
    }

    @Test func optionalsAreTheirValueOrNothing() async throws {
        let text: String? = "a"
        let number: Int? = nil
        let nested: Int?? = .some(.some(3))
        let nestedNil: Int?? = .some(.none)
        let array: [Int?]? = [1, nil, 2]
        let noBool: Bool? = nil
        let noArray: [Int]? = nil
        let query: [String: Any] = [
            "text": text as Any, "number": number as Any, "nested": nested as Any, "nestedNil": nestedNil as Any,
            "array": array as Any, "noBool": noBool as Any, "noArray": noArray as Any,
        ]
        #expect(try await injected(query) == "array%5B%5D=1&array%5B%5D=2&nested=3&text=a")
    }

    @Test func enumsAndOptionSetsAreTheirRawValue() async throws {
        let query: [String: Any] = [
            "a": Color.green, "b": Size.small, "c": [Color.red, .green], "d": Wrapped.color(.red),
            "e": Flags(rawValue: 5),
            "f": Color?.some(.red) as Any,
        ]
        #expect(try await injected(query) == "a=green&b=1&c%5B%5D=red&c%5B%5D=green&d=red&e=5&f=red")
    }

    @Test func aDateOutsideTheYears1To9999IsItsNumberOfSeconds() {
        #expect(Date(timeIntervalSince1970: 0).queryValue == .string("1970-01-01T00:00:00Z"))
        #expect(Date(timeIntervalSince1970: 1e300).queryValue == .number("1e+300"))
        #expect(Date(timeIntervalSince1970: -.infinity).queryValue == .number("-inf"))
        #expect("\(Date(timeIntervalSince1970: .nan).queryValue)".contains("nan"))
    }

    @Test func whatHasAFormInAQueryIsTaken() async throws {
        let query: [String: Any] = [
            "a": Decimal(string: "1.50") as Any, "b": Date(timeIntervalSince1970: 0),
            "c": [URL(string: "https://x/?y") as Any], "d": Opaque?.none as Any,
        ]
        let text = try await injected(query)
        #expect(text == "a=1.5&b=1970-01-01T00%3A00%3A00Z&c%5B%5D=https%3A//x/?y")
    }

    @Test func aSetsElementsAreSorted() async throws {
        #expect(
            try await injected(["ids": Set([3, 1, 2]), "tags": Set(["b", "a"])])
                == "ids%5B%5D=1&ids%5B%5D=2&ids%5B%5D=3&tags%5B%5D=a&tags%5B%5D=b")
    }

    @Test func queryValuesCanStandAmongSwiftValues() async throws {
        let mixed: [Any] = [QueryValue.bool(true), 2]
        #expect(try await injected(["a": mixed, "b": QueryValue.none]) == "a%5B%5D=1&a%5B%5D=2")
    }

    /// Parameters and what is wrong with them.
    struct Case: Sendable {
        let place: String
        let type: String
        let query: @Sendable () -> [String: Any]

        init(_ place: String, _ type: String, _ query: @escaping @Sendable () -> [String: Any]) {
            self.place = place
            self.type = type
            self.query = query
        }
    }

    private static let unencodable: [Case] = [
        Case("when", "Opaque") { ["when": Opaque()] },
        Case("a[b][]", "Opaque") { ["a": ["b": [1, Opaque()] as [Any]]] },
        Case("a", "Dictionary<Int, String>") { ["a": [1: "x"]] },
        Case("a", "ClosedRange<Int>") { ["a": 1...3] },
        Case("b", "Opaque") { ["z": Opaque(), "b": Opaque()] },
    ]

    @Test(arguments: unencodable)
    func aTypeWithoutAFormIsAnErrorThatNamesItsPlace(_ wrong: Case) async throws {
        let config = URLQueryConfigModel(query: wrong.query())
        let error = try #require(await thrown(RequestBuildingError.self) { try await injected(config) })
        #expect(error.code == .unsupportedQueryValue)
        #expect(
            error.description
                == "The query value \"\(wrong.place)\" is of type \(wrong.type), which has no form in a query.")
    }
}
