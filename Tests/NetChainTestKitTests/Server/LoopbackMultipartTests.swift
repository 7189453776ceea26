import NetChainTestKit
import Testing
import UrlTransport

struct LoopbackMultipartTests {
    private func request(_ body: [UInt8], contentType: String) async throws -> LoopbackRequest {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nContent-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n\r\n")
        client.send(body)
        _ = try await client.readAnswer()
        return try #require(server.requests.first)
    }

    @Test(arguments: ["multipart/form-data; boundary=B--1", "Multipart/Form-Data; charset=utf-8; Boundary=\"B--1\""])
    func partsComeWithNamesTypesAndBytes(contentType: String) async throws {
        let binary: [UInt8] = [0, 13, 10, 45, 45, 66, 13, 10, 13, 10, 255]
        let body =
            Array("--B--1\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhello\r\nworld\r\n".utf8)
            + Array("--B--1\r\ncontent-disposition: form-data; name=\"f;1\"; filename=\"a%22 \\\"ö\\\".bin\"\r\n".utf8)
            + Array("Content-Type: image/png\r\n\r\n".utf8) + binary
            + Array("\r\n--B--1\r\nContent-Disposition: form-data; name=empty\r\n\r\n\r\n--B--1--\r\n".utf8)
        let parts = try await request(body, contentType: contentType).multipartParts
        #expect(parts.map(\.name) == ["text", "f;1", "empty"])
        #expect(parts.map(\.filename) == [nil, "a%22 \"ö\".bin", nil])
        #expect(parts.map(\.contentType) == [nil, "image/png", nil])
        #expect(parts[0].text == "hello\r\nworld")
        #expect(parts[1].body == binary)
        #expect(parts[2].body.isEmpty)
        #expect(parts[1].headers.fields.map(\.name) == ["content-disposition", "Content-Type"])
    }

    @Test func noPartsAreNoError() async throws {
        let request = try await request(Array("--B--\r\n".utf8), contentType: "multipart/form-data; boundary=B")
        #expect(try request.multipartParts.isEmpty)
    }

    @Test(arguments: [
        ("", "the body does not start with the boundary"),
        ("\r\n--B\r\n", "the body does not start with the boundary"),
        ("--Bx", "a boundary is followed by neither CRLF nor --"),
        ("--B\r\nContent-Disposition: form-data; name=a\r\n\r\nx", "the closing boundary is missing after part 1"),
        ("--B\r\nContent-Type: a/b\r\n\r\nx\r\n--B--", "part 1 has no Content-Disposition: form-data with a name"),
        ("--B\r\nContent-Disposition: form-data; name=a\r\nx\r\n--B--", "part 1 has no empty line after its headers"),
        ("--B\r\nno colon\r\n\r\nx\r\n--B--", "part 1 has a header line without a colon"),
        ("--B--\r\nepilogue", "10 bytes follow the closing boundary"),
    ])
    func aMalformedBodyIsAnErrorWithItsReason(body: String, reason: String) async throws {
        let request = try await request(Array(body.utf8), contentType: "multipart/form-data; boundary=B")
        #expect(throws: LoopbackError(.malformedBody, "multipart body: \(reason)")) {
            try request.multipartParts
        }
    }
}
