import TestSupport
import Testing

@testable import HttpMessages

struct HttpHeadersTests {
    @Test func namesAreComparedWithoutRegardToCase() {
        let headers: HttpHeaders = ["Content-Type": "text/plain"]
        #expect(headers["content-TYPE"] == "text/plain")
        #expect(headers["content"] == nil)
    }

    @Test func fieldsKeepTheirOrderAndMayRepeat() {
        var headers: HttpHeaders = ["B": "1", "A": "2"]
        headers.add(name: "b", value: "3")
        #expect(headers.fields.map(\.name) == ["B", "A", "b"])
        #expect(headers.values(of: "B") == ["1", "3"])
        #expect(headers["b"] == "1")
    }

    @Test func settingReplacesAllFieldsInTheFirstsPlace() {
        var headers: HttpHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
        headers["a"] = "5"
        #expect(headers == ["a": "5", "B": "2", "C": "4"])
        headers["A"] = nil
        #expect(headers == ["B": "2", "C": "4"])
        headers["D"] = "6"
        #expect(headers.fields.last?.name == "D")
    }

    @Test func aDictionarysFieldsAreSorted() {
        #expect(HttpHeaders(["b": "2", "a": "1"] as [String: String]).fields.map(\.name) == ["a", "b"])
    }

    @Test func headersAreValidAgainWithoutTheirInvalidField() throws {
        var headers: HttpHeaders = ["A": "1", "B": "2\r\nC: 3"]
        headers["A"] = "4"
        headers.add(name: "D", value: "5")
        #expect(thrown(RequestBuildingError.self) { try headers.validate() }?.code == .invalidHeader)
        headers["b"] = "2"
        try headers.validate()
        headers.add(name: "no token", value: "6")
        #expect(thrown(RequestBuildingError.self) { try headers.validate() }?.code == .invalidHeader)
        headers["no token"] = nil
        try headers.validate()
    }

    @Test func receivedHeadersThatCanNotBeSentAreInvalid() throws {
        try HttpHeaders(block: HeaderBlock(bytes: Array("A: 1\r\n".utf8))).validate()
        let headers = HttpHeaders(block: HeaderBlock(bytes: Array("A: 1\0\r\n".utf8)))
        #expect(thrown(RequestBuildingError.self) { try headers.validate() }?.code == .invalidHeader)
        var changed = headers
        changed["B"] = "2"
        #expect(thrown(RequestBuildingError.self) { try changed.validate() }?.code == .invalidHeader)
    }

    @Test func headersAreASequenceOfNamesAndValues() {
        var headers: HttpHeaders = ["A": "1", "b": "2"]
        headers.add(name: "a", value: "3")
        var lines: [String] = []
        for (name, value) in headers { lines.append("\(name): \(value)") }
        #expect(lines == ["A: 1", "b: 2", "a: 3"])
        #expect(headers.map(\.value) == ["1", "2", "3"])
        #expect(headers.count == 3 && !headers.isEmpty && HttpHeaders().isEmpty)
        let received = HttpHeaders(block: HeaderBlock(bytes: Array("A: 1\r\nB: 2\r\n".utf8)))
        #expect(received.map(\.name) == ["A", "B"])
        #expect(HttpHeaders(headers.filter { $0.name != "b" }).fields.map(\.value) == ["1", "3"])
    }

    @Test func aDictionaryOfHeadersHasEachOfTheirValues() {
        var headers: HttpHeaders = ["X-Tag": "a", "B": "1", "x-tag": "b", "Cookie": "c=1", "cookie": "d=2"]
        #expect(headers.byName == ["X-Tag": "a, b", "B": "1", "Cookie": "c=1; d=2"])
        headers.byName["C"] = "3"
        headers.byName["B"] = nil
        #expect(headers.values(of: "X-Tag") == ["a", "b"])
        #expect(headers.fields.map(\.name) == ["X-Tag", "x-tag", "Cookie", "cookie", "C"])
        headers.byName["X-Tag"] = "z"
        #expect(headers.values(of: "x-tag") == ["z"])
    }
}
