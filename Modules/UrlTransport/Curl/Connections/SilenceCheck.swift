#if os(Linux)
import CNetChainCurl
import Glibc

/// Checks a connection for unsolicited data before a request is sent over it.
///
/// Between two requests, an HTTP/1 server sends nothing. libcurl 7.88 reads unsolicited data, such as a 408, as the
/// next response. It also reuses a connection that was reset.
enum SilenceCheck {
    /// Returns whether there is nothing to read, neither bytes nor the close of the connection. Otherwise shuts the
    /// connection down.
    static func shutDownUnlessSilent(_ socket: Int32) -> Bool {
        if netchain_is_silent(socket) != 0 { return true }
        shutDown(socket)
        return false
    }

    /// Shuts down a connection and discards its received bytes, so that libcurl detects the close.
    static func shutDown(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        }
    }
}
#endif
