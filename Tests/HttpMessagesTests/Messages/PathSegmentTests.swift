import Foundation
import HttpMessages
import Testing

/// Values that become a part of a path.
@Suite struct PathSegmentTests {
    @Test(arguments: [
        ("", "", ""), ("a-Z_0.9~", "a-Z_0.9~", "a-Z_0.9~"), ("a/b", "a%2Fb", "a/b"),
        ("a b?c#d", "a%20b%3Fc%23d", "a%20b%3Fc%23d"),
        ("100%", "100%25", "100%25"), ("%2F", "%252F", "%252F"), ("ü", "%C3%BC", "%C3%BC"), (".", "%2E", "%2E"),
        ("..", "%2E%2E", "%2E%2E"), ("...", "...", "..."), ("a/../b", "a%2F..%2Fb", "a/%2E%2E/b"),
        ("/a//", "%2Fa%2F%2F", "/a//"),
        ("+&=;,:@", "%2B%26%3D%3B%2C%3A%40", "%2B%26%3D%3B%2C%3A%40"), ("\r\n\0", "%0D%0A%00", "%0D%0A%00"),
    ])
    func aValueIsEscaped(value: String, segment: String, segments: String) {
        #expect("\(pathSegment: value)" == segment)
        #expect("\(pathSegments: value)" == segments)
    }

    @Test func otherTypesAreWrittenAsTheirDescription() {
        #expect("/users/\(pathSegment: 7)/x" == "/users/7/x")
    }

    @Test func aServerReadsTheSameValueBack() throws {
        let alphabet = Array("aZ9-._~/?#[]@!$&'()*+,;=%: \"\\^`{|}<>ü€😀\u{0}\u{7F}")
        for _ in 0..<2_000 {
            let value = String((0..<Int.random(in: 0...12)).map { _ in alphabet.randomElement()! })
            let url = try #require(URL(string: "https://a.example/files/\(pathSegment: value)/end?x"))
            let path = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false)
            #expect(path.count == 4)
            #expect(String(path[2]).removingPercentEncoding == value)
            #expect(url.query() == "x")
        }
    }
}
