import NetChainTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a server listens: what is tested on each of them.
enum ServerPlace: CaseIterable, Sendable {
    case port
    case unixSocket

    func server() throws -> LoopbackServer {
        switch self {
        case .port: try LoopbackServer()
        case .unixSocket: try LoopbackServer(unixSocket: Self.freePath())
        }
    }

    /// A path of the temporary folder where no file is.
    static func freePath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "netchain-\(UInt64.random(in: 0 ... .max)).sock").path
    }
}
