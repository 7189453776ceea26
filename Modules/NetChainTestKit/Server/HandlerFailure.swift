#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a test sees of a handler that fails and of a request without a route: the body of the response, and standard
/// error.
enum HandlerFailure {
    static func text(of request: LoopbackRequest, _ failure: String) -> String {
        "The test's handler of \(request) \(failure)\n"
    }

    /// Writes the text to standard error: the code under test may not show the body of an error.
    static func report(_ text: String) {
        var line = "LoopbackServer: \(text)"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
