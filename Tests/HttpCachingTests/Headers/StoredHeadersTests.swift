import HttpMessages
import Logging
import Testing

@testable import HttpCaching

/// Headers of most responses are recognized by the bytes of their names, and any other by the rules for secrets.
@Suite struct StoredHeadersTests {
    private static let usual = [
        "Age", "Date", "ETag", "Vary", "Server", "Expires", "Content-Type", "Cache-Control", "Last-Modified",
        "Accept-Ranges", "Content-Length", "Content-Encoding", "Connection", "Keep-Alive", "Transfer-Encoding",
    ]

    private func isNeverStored(_ name: String) -> Bool? {
        var name = name
        return name.withUTF8 { StoredHeaders.isNeverStored(usual: UnsafeRawBufferPointer($0)) }
    }

    @Test(arguments: usual) func aUsualNameIsClassifiedAsByTheRules(_ name: String) {
        let byRules = StoredHeaders.neverStored.contains(name.lowercased()) || Redaction.standard.isSecret(header: name)
        for name in [name, name.lowercased(), name.uppercased()] { #expect(isNeverStored(name) == byRules) }
    }

    @Test(arguments: ["", "Set-Cookie", "X-Api-Key", "Ages", "Dat", "Expirez"])
    func anyOtherNameIsLeftToTheRules(_ name: String) {
        #expect(isNeverStored(name) == nil)
    }

    @Test func theKeptFieldsAreThoseOfTheBytes() {
        let received = HeaderBlock(
            bytes: Array("Server: a\r\nX-Hop: 1\r\nVary:Accept,\r\n\tCookie \r\nbroken\r\nETag:\r\nX: \u{E9}".utf8))
        for headers in [HttpHeaders(block: received), HttpHeaders(received: HttpHeaders(block: received).fields)] {
            let kept = headers.keeping { !$0.isHeader("x-hop") }
            #expect(kept.fields.map(\.name) == ["Server", "Vary", "ETag", "X"])
            #expect(kept.fields.map(\.value) == ["a", "Accept, Cookie", "", "\u{E9}"])
            #expect(headers.keeping { _ in false }.fields.isEmpty)
        }
    }

    @Test(arguments: ["", "a:b", "a:b\r\n"]) func aFieldIsAppendedToTheBytes(_ text: String) {
        var headers = HttpHeaders(block: HeaderBlock(bytes: Array(text.utf8)))
        let old = headers.fields
        headers.addValid(name: "Age", value: "12")
        #expect(headers.fields == old + [.init(name: "Age", value: "12")])
        headers = HttpHeaders(old)
        headers.addValid(name: "Age", value: "12")
        #expect(headers.fields == old + [.init(name: "Age", value: "12")])
    }

    @Test func anUnterminatedLineIsKept() {
        #expect(HttpHeaders(block: HeaderBlock(bytes: Array("a:b".utf8))).keeping { _ in true }["A"] == "b")
    }
}
