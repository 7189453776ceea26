import Logging
import Models
import NetChainTestKit
import TestSupport
import Testing

@testable import HttpMessages
@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct BodyExcerptTests {
    private func excerpt(_ body: RequestBody, _ type: String?, _ redaction: Redaction = .standard) -> String {
        BodyExcerpt.of(body, contentType: type, redaction)
    }

    @Test(arguments: [
        ("application/json", #"{"password":"geheim","a":1}"#, #"{"password":"***","a":1}"#),
        ("application/x-www-form-urlencoded", "pin=geheim&a=1", "pin=***&a=1"),
        ("text/plain; charset=utf-8", "Grüße", "Grüße"), ("", "token=geheim", "token=***"),
        ("image/png", "abc", "(3 bytes of image/png)"), ("", "a\u{1B}[31m", "(6 bytes of binary data)"),
    ])
    func textIsShownMaskedAndTheRestAsItsSize(type: String, body: String, shown: String) {
        #expect(excerpt(.data(Data(body.utf8)), type) == shown)
        #expect(BodyExcerpt.of(Data(body.utf8), contentType: type, .standard) == shown)
    }

    @Test func bytesThatAreNoTextAreASize() {
        #expect(excerpt(.data(Data([0xFF, 0x00, 0x41])), "text/plain") == "(3 bytes of text/plain)")
    }

    @Test func aLongTextIsCut() {
        let body = Data(String(repeating: "é", count: 100_000).utf8)
        #expect(
            excerpt(.data(body), "text/plain") == String(repeating: "é", count: 4096) + "… (200000 bytes in all)")
        #expect(
            excerpt(.data(Data(repeating: 0x61, count: 4097)), nil)
                == String(repeating: "a", count: 4096) + "… (4097 bytes in all)")
    }

    @Test func aSecretAtTheCutIsMasked() {
        let text =
            #"{"a":""# + String(repeating: "x", count: 4060) + #"","password":""#
            + String(repeating: "geheim", count: 1000) + #""}"#
        let shown = excerpt(.data(Data(text.utf8)), "application/json")
        #expect(!shown.contains("geheim"))
        #expect(shown.contains(#""password":"***""#))
    }

    @Test func aFileIsNamedAndNotRead() throws {
        let folder = try TestFolder()
        let file = try folder.file("photo.bin", [1, 2, 3])
        #expect(excerpt(try .file(file), "text/plain") == "(file photo.bin, 3 bytes)")
    }

    @Test func aSemicolonInQuotesEndsNoParameter() {
        let head = #"--a;b\r\nContent-Disposition: form-data; filename="a; name=x"; name="c;\"d""#
        let body = head.replacing(#"\r\n"#, with: "\r\n") + "\r\n\r\n123\r\n--a;b--\r\n"
        #expect(
            excerpt(.data(Data(body.utf8)), #"multipart/form-data; boundary="a;b""#)
                == "multipart form of 1 fields\nc;\"d (a; name=x, 3 bytes)")
    }

    @Test func aFormIsItsFieldsAndTheirSizes() throws {
        let folder = try TestFolder()
        let file = try folder.file("photo.bin", Data(repeating: 7, count: 300))
        var form = MultipartModel(fields: ["password": Data("geheim".utf8)])
        form.append(.data(data: Data("{}".utf8), filename: "a.json"), name: "note")
        form.append(.url(url: file), name: "photo")
        let encoder = MultipartEncoder()
        let body = try encoder.encode(form.parts)
        let shown = excerpt(body, encoder.contentType)
        #expect(shown.hasPrefix("multipart form of 3 fields\npassword (6 bytes)\nnote (a.json"))
        #expect(shown.contains(", 2 bytes)\nphoto (photo.bin"))
        #expect(shown.hasSuffix(", 300 bytes)"))
        // The same when it is one piece.
        #expect(excerpt(.data(try body.read()), encoder.contentType) == shown)
        #expect(Redaction.standard.text(shown) == shown)
    }
}
