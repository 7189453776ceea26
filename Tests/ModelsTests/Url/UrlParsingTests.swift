import Testing

@testable import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct UrlParsingTests {
    @Test(arguments: [
        ("https://h/o?sig=a%2Bb&q=[1]", "https://h/o?sig=a%2Bb&q=%5B1%5D"),
        ("https://bücher.example/a%20b|c", "https://xn--bcher-kva.example/a%20b%7Cc"), ("/a?b#c", "/a?b#c"),
        (" https://[fe80::1%eth0]:80/\n", "https://[fe80::1%25eth0]:80/"),
        ("https://u:p@h:1/%00?%#%", "https://u:p@h:1/%00?%25#%25"),
    ])
    func aUrlHasTheNormalizedText(text: String, expected: String) {
        #expect(URL(parsing: text)?.absoluteString == expected)
    }

    @Test(arguments: ["", "http://[", "http://h:x/"])
    func otherTextIsNoUrl(text: String) {
        #expect(URL(parsing: text) == nil)
    }

    @Test func aLinkInAModelKeepsItsEscapes() throws {
        let json = Array(#"{"next": "https://h/x?page[number]=2&cursor=a%2Bb%3D"}"#.utf8)
        let links = try JsonDecoder().decode([String: URL].self, from: Data(json))
        #expect(links["next"]?.absoluteString == "https://h/x?page%5Bnumber%5D=2&cursor=a%2Bb%3D")
    }
}
