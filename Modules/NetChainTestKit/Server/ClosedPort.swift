#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A port of 127.0.0.1 that refuses every connection.
///
/// It's bound and never listened at, as long as the process runs: a port that was closed, as that of a server that
/// stopped, may belong to the next one that asks the system for a port.
package enum ClosedPort {
    private static let held = Result { try Sockets.bound() }

    /// Its number.
    package static func number() throws -> Int {
        try held.get().port
    }

    /// An http URL there.
    package static func url(_ path: String = "/") throws -> URL {
        let port = try number()
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            throw LoopbackError(.cannotStart, "no URL can be made for port \(port)")
        }
        return url
    }
}
