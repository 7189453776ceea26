import HttpMessages
import Testing

@testable import HttpCaching

/// What decides about a response is found in its bytes as in its fields.
@Suite struct DecisiveFieldsTests {
    private let block = HeaderBlock(
        bytes: Array(
            """
            Server: nginx\r
            DATE:Fri, 27 Nov 2026 18:57:00 GMT\r
            cache-control:  max-age=60 ,\r
              private="x-a"\r
            Cache-Control: must-revalidate\r
            Vary: Accept\r
            vary: Foo,\r
            \tBar\r
            Connection: X-Hop\r
            Expires: 0\r
            Expires: Thu, 18 Aug 2050 02:01:18 GMT\r
            Content-Length: 12\r
            Content-Encoding: \r
            Datf: none\r

            """.utf8))

    @Test func bytesAndFieldsAreReadTheSameWay() {
        for headers in [HttpHeaders(block: block), HttpHeaders(received: HttpHeaders(block: block).fields)] {
            let fields = DecisiveFields(headers)
            #expect(fields.hasDate && fields.isEncoded)
            #expect(fields.control.maxAge == .seconds(60) && fields.control.mustRevalidate)
            #expect(fields.control.isPrivate == .fields(["x-a"]))
            #expect(fields.vary == ["accept", "bar", "foo"])
            #expect(fields.connection == ["x-hop"])
            #expect(fields.hasExpires && fields.contentLength == 12)
        }
    }

    @Test(arguments: ["Keep-Alive", "CLOSE", ""]) func whatNamesNoFieldIsLeftOut(_ value: String) {
        let fields = DecisiveFields(["Connection": value, "Cach-Control": "no-store", "Dates": "1"])
        #expect(fields.connection.isEmpty && !fields.hasDate && fields.control.isEmpty)
    }
}
