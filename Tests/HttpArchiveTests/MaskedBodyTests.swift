import Logging
import Testing

import UrlTransport

@testable import HttpArchive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct MaskedBodyTests {
    private static let key = "-----BEGIN PRIVATE KEY-----\r\ngeheim\r\n-----END PRIVATE KEY-----"

    /// The field's content ends at the content type's boundary, also where the lines before it look like one.
    @Test(arguments: ["boundary=b", "Boundary=\"b\"", "charset=utf-8; boundary = b"])
    func aSecretFieldIsMaskedToTheBoundaryOfTheContentType(parameters: String) {
        for value in [Self.key, "geheim\r\n--c\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ngeheim"] {
            let form = "--b\r\nContent-Disposition: form-data; Name = \"password\"\r\n\r\n\(value)\r\n--b--\r\n"
            let masked = Redaction.standard.body(Data(form.utf8), contentType: "multipart/form-data; \(parameters)")
            #expect(String(decoding: masked, as: UTF8.self) == form.replacing(value, with: "***"))
        }
    }

    /// Appending each field to a copy of those before it took 100 GB of copies.
    @Test func manyFieldsTakeLinearTime() throws {
        let field = Data(repeating: 0x61, count: 500)
        let file = RequestBody.Segment.file(URL(filePath: "/photo"), size: 3)
        let fields = [RequestBody.Segment](repeating: .data(field), count: 20_000)
        let body = RequestBody(segments: fields + [file, .data(field), .data(field)])
        let start = ContinuousClock.now
        let pieces = body.pieces(masked: .none, contentType: "multipart/form-data; boundary=b")
        #expect(ContinuousClock.now - start < .seconds(5))
        let sizes = pieces.map { if case .data(let data) = $0 { data.count } else { -1 } }
        #expect(sizes == [10_000_000, -1, 1000])
    }

    @Test func bytesThatAreNoTextStayAroundASecret() {
        let head = Data("--b\r\nContent-Disposition: form-data; name=raw\r\n\r\n".utf8) + Data([0xFF, 0, 0xC3])
        let field = "\r\n--b\r\nContent-Disposition: form-data; name=token\r\n\r\n"
        let form = head + Data((field + "geheim\r\n--b--\r\n").utf8)
        let masked = Redaction.standard.body(form, contentType: "multipart/form-data; boundary=b")
        #expect(masked == head + Data((field + "***\r\n--b--\r\n").utf8))
    }
}
