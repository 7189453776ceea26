#if os(Linux)
import Testing

@testable import UrlTransport

/// Messages of libcurl 7.88 and 8.
struct StreamMessageTests {
    private typealias Message = LibcurlWorkarounds.StreamMessage

    private func message(_ text: String) -> Message? {
        Array(text.utf8).withUnsafeBytes { Message($0) }
    }

    @Test func theMessagesAreRead() {
        #expect(message("Using Stream ID: 101 (easy handle 0x55d0)\n") == .opened(101))
        #expect(message("[HTTP/2] [101] OPENED stream for https://host/\n") == .opened(101))
        #expect(message("recveived GOAWAY, error=0, last_stream=99\n") == .goAway(lastStream: 99, .shutdown))
        #expect(message("received GOAWAY, error=0, last_stream=99\n") == .goAway(lastStream: 99, .shutdown))
        #expect(message("received GOAWAY, error=2, last_stream=99\n") == .goAway(lastStream: 99, .error))
        #expect(message("received GOAWAY, error=13, last_stream=0\n") == .goAway(lastStream: 0, .requiresHttp1))
        #expect(message("REFUSED_STREAM, retrying a fresh connect") == .refused)
    }

    @Test(arguments: [
        "", "Using Stream ID: ", "Using Stream ID: x", "rec", "rec, last_stream=", "h2h3 [:path: /last_stream=3]",
        "[HTTP/2] [1] [:path: /]", "[HTTP/2] [x] OPENED stream", "[HTTP/2] [1",
    ])
    func othersAreNone(text: String) {
        #expect(message(text) == nil)
    }
}
#endif
