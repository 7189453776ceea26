#if os(Linux)
import CNetChainCurl
import Glibc

/// Checks a connection for unsolicited data before a request is sent over it.
///
/// Between two requests an HTTP/1 server has nothing to say. libcurl takes what it says all the same (a 408, or worse) for
/// the next response, and takes a connection that was reset for a live one (7.88).
enum IdleConnectionCheck {
    /// Whether there is nothing to read, neither bytes nor the end of the connection. A connection that fails is shut
    /// down.
    static func passes(_ socket: Int32) -> Bool {
        if netchain_is_silent(socket) != 0 { return true }
        shutDown(socket)
        return false
    }

    /// Ends a connection, and empties it, so that libcurl finds it dead and closes it.
    static func shutDown(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        }
    }
}
#endif
