import Testing
import UrlTransport

/// How the arrays of one value are written.
struct ArrayStyleTests {
    private struct Plural: URLQueryArrayKeyEncodingStrategy {
        func encode(value: String) -> String { value + "s" }
    }

    private func text(_ query: UrlQuery) throws -> String { try URLQueryConfigModel(query).encoded() }

    private let plain = URLQueryArrayKeyEncodingBracketsStrategy.noBrackets

    @Test func oneValueMayBeWrittenInAnotherWay() throws {
        var query: UrlQuery = ["id": [1, 2]]
        query.set("scope", ["a", "b"], arrays: plain)
        query.set("key", ["c"], arrays: Plural())
        #expect(try text(query) == "id%5B%5D=1&id%5B%5D=2&keys=c&scope=a&scope=b")
    }

    @Test func allArraysOfTheValueAreWrittenSo() throws {
        var query = UrlQuery()
        query.set("page", ["ids": [[1, 2], [3]]], arrays: plain)
        #expect(try text(query) == "page%5Bids%5D=1&page%5Bids%5D=2&page%5Bids%5D=3")
    }

    @Test func theStyleBelongsToTheValue() throws {
        var query = UrlQuery()
        query.set("a", [1], arrays: plain)
        query["a"] = [2]
        #expect(try text(query) == "a%5B%5D=2")
        query.set("a", [1], arrays: plain)
        query.set("a", nil, arrays: plain)
        query["a"] = [3]
        #expect(try text(query) == "a%5B%5D=3")
    }

    @Test func aMergedValueHasItsOwnStyle() throws {
        var first = UrlQuery()
        first.set("a", [1], arrays: plain)
        first.set("b", [1], arrays: plain)
        var second: UrlQuery = ["a": [2]]
        second.set("c", [3], arrays: plain)
        first.merge(second)
        #expect(try text(first) == "a%5B%5D=2&b=1&c=3")
        var model = URLQueryConfigModel(first)
        model.merge(URLQueryConfigModel(query: ["b": [4]]))
        #expect(try model.encoded() == "a%5B%5D=2&b%5B%5D=4&c=3")
    }
}
