import Foundation
import Testing
import UrlTransport

@testable import UrlSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct SessionErrorTests {
    @Test(
        arguments: [
            (URLError(.fileDoesNotExist), .uploadFailed), (URLError(.fileIsDirectory), .uploadFailed),
            (URLError(.noPermissionsToReadFile), .uploadFailed),
            (URLError(.appTransportSecurityRequiresSecureConnection), .invalidUrl),
            (POSIXError(.ECONNABORTED), .connectionLost), (POSIXError(.ECONNRESET), .connectionLost),
            (POSIXError(.ENOTCONN), .connectionLost), (POSIXError(.EPROTO), .protocolViolation),
            (POSIXError(.ENOMEM), .internalFailure),
        ] as [(any Error, TransportError.Code)])
    func anErrorOfTheSessionHasACode(error: any Error, code: TransportError.Code) {
        #expect(TransportError.Code(error, after: nil) == code)
    }

    @Test func aConnectionThatIsResetAfterTheHeadTruncatesTheResponse() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        #expect(TransportError.Code(POSIXError(.ECONNRESET), after: head) == .truncatedResponse)
    }
}
