import TestSupport
import Testing

@testable import Logging

@Suite struct MultipartRedactionTests {
    private static let secret = "hunter2-S3cret"
    private static let key = "-----BEGIN PRIVATE KEY-----\r\n\(secret)\r\n-----END PRIVATE KEY-----"

    private static func form(_ disposition: String, _ value: String, headers: String = "") -> String {
        """
        --b\r\n\(disposition)\r\n\(headers)\r\n\(value)\r\n\
        --b\r\nContent-Disposition: form-data; name="city"\r\n\r\nBern\r\n--b--\r\n
        """
    }

    private static func masked(
        _ text: String, contentType: String = "multipart/form-data; Boundary = \"b\""
    ) -> String {
        String(decoding: Redaction.standard.body(Array(text.utf8), contentType: contentType), as: UTF8.self)
    }

    private static let values = [
        key, "--\(secret)", "a\r\n--\(secret)", "a\n--\(secret)\n--", "--\r\n\(secret)", "a\r\n--bb\r\n\(secret)",
        "\r\n\r\n\(secret)", "a\r\n\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(secret)", "\"{[(\(secret)",
    ]

    @Test(arguments: values)
    func aValueOfAnyLinesIsMaskedToTheNextDelimiter(value: String) {
        let form = Self.form("Content-Disposition: form-data; name=\"password\"", value)
        #expect(Self.masked(form) == form.replacing(value, with: "***"))
    }

    private static let headers = [
        "Content-Disposition: FORM-DATA; name=\"password\"",
        "CONTENT-DISPOSITION: form-data; Name=password",
        "Content-Disposition: form-data; name = \"password\"",
        "Content-Disposition: form-data;\tname=\"password\"",
        "Content-Disposition: form-data;\r\n name=\"password\"",
        "Content-Disposition: form-data; name=\r\n\t\"password\"",
        "Content-Disposition:\r\n form-data; name=\"password\"",
        "Content-Disposition: form-data; name*=UTF-8''pass%77ord",
        "Content-Disposition: form-data; name*=UTF-8''pw",
        "Content-Disposition: form-data; name*0=\"pass\"; name*1=\"word\"",
        "Content-Disposition: form-data; filename=\"a;b\\\"c\"; name=\"password\"",
        "Content-Disposition: form-data; filename=\"\(String(repeating: "x", count: 5000))\"; name=\"password\"",
        "Content-Disposition: form-data; name=\"a\"; name=\"password\"",
        "Content-Disposition: form-data; name=\"pass\\word\"",
        "Content-Disposition: form-data; name=\"user[pass%77ord]\"",
        "Content-Type: text/plain\r\nContent-Disposition: form-data; name=\"password\"\r\nX-A: b",
        "Content-Disposition: attachment; name=\"X-Api-Key\"",
    ]

    @Test(arguments: headers)
    func aNameInAnyFormIsFound(disposition: String) {
        let form = Self.form(disposition, Self.secret)
        #expect(Self.masked(form) == form.replacing(Self.secret, with: "***"))
    }

    @Test func otherFieldsStay() {
        let form = Self.form("Content-Disposition: form-data; name=\"user\"; filename=\"password\"", "bob\r\n--x\r\n")
        #expect(Self.masked(form) == form)
    }

    @Test func aFormWithBareLineFeedsIsMasked() {
        let form = Self.form("Content-Disposition: form-data; name=\"password\"", Self.secret).replacing(
            "\r\n", with: "\n")
        #expect(Self.masked(form) == form.replacing(Self.secret, with: "***"))
    }

    @Test func anEmptyFieldStays() {
        let form = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\r\n--b--\r\n"
        #expect(Self.masked(form) == form)
    }

    @Test func aBoundaryThatTheBodyDoesNotHaveHidesNoSecret() {
        let form = Self.form("Content-Disposition: form-data; name=\"password\"", Self.key)
        #expect(
            !Self.masked(form, contentType: "multipart/form-data; boundary=other").contains(Self.secret))
    }

    @Test func aBodyWithoutItsBoundaryIsMaskedWhole() {
        for contentType in ["multipart/form-data", "multipart/form-data; boundary=other"] {
            #expect(Self.masked(Self.form("X-A: b", "1"), contentType: contentType) == "***")
        }
        #expect(Self.masked("", contentType: "multipart/form-data") == "")
    }

    @Test func aPartIsMaskedByItsType() {
        let parts = [
            ("application/json", #"{"token":"\#(Self.secret)","a":1}"#, #"{"token":"***","a":1}"#),
            ("application/x-www-form-urlencoded", "a=1&pin=\(Self.secret)", "a=1&pin=***"),
            ("text/plain", "Bearer \(Self.secret)", "Bearer ***"), ("image/png", "\0\0", "\0\0"),
        ]
        for (type, content, masked) in parts {
            let head = "Content-Disposition: form-data; name=\"a\"\r\ncontent-type: \(type)"
            #expect(Self.masked(Self.form(head, content)) == Self.form(head, masked))
        }
    }

    /// A part within a part thousands of times, on a thread with a stack of 512 KB.
    @Test func partsThatAreNestedTooDeepAreMaskedWhole() {
        let text = (1...5_000).reduce("--0\n") { text, level in
            text + "Content-Type:multipart/x;boundary=\(level)\n\n--\(level)\n"
        }
        onSmallStack {
            let masked = Self.masked(text + Self.secret, contentType: "multipart/x;boundary=0")
            #expect(masked.hasPrefix("--0\nContent-Type:multipart/x;boundary=1\n\n--1\n"))
            #expect(masked.hasSuffix("***"))
            #expect(masked.utf8.count < 2_000)
        }
    }

    /// Cut anywhere, no secret comes out.
    @Test func aFormThatIsCutOffTellsNoSecret() {
        let form = Self.form("Content-Disposition: form-data; name=\"password\"", Self.key)
        for length in 0...form.utf8.count {
            #expect(!Self.masked(String(decoding: form.utf8.prefix(length), as: UTF8.self)).contains(Self.secret))
        }
    }

    /// Work that grows with the square of the size would take minutes.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nx\r\n",
            "form-data; name=password\n", " form-data; name=password\n", "form-data; name=password ", "--\n", "\n\n",
            "form-data\n\n", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "password:\n ", "[\"token\",", "{\"value\":",
            "password(", "password( ", "password( x\n", "\"required\" : [", "[\"token\",\"a\",\"b\"]", "token=(\n",
            "eyJ", "%25", "[\"\\\",", "(a@b://h:x",
        ])
    func aHostileBodyTakesNoLongerThanAnother(unit: String) {
        let text = String(repeating: unit, count: 30_000 / unit.utf8.count)
        for masked in [Self.masked(text), Redaction.standard.text(text)] { #expect(!masked.isEmpty) }
    }
}
