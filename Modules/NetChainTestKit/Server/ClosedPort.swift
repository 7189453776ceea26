import Models

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A port of 127.0.0.1 that refuses every connection.
///
/// It is bound, without `listen(2)`, as long as the process runs. The port of a stopped server could be assigned to the
/// next socket that asks for one.
package enum ClosedPort {
    private static let held = Result { try Sockets.bound() }

    package static func number() throws -> Int {
        try held.get().port
    }

    package static func url(_ path: String = "/") throws -> URL {
        let port = try number()
        guard let url = URL(parsing: "http://127.0.0.1:\(port)\(path)") else {
            throw LoopbackError(.cannotStart, "no URL can be made for port \(port)")
        }
        return url
    }
}
