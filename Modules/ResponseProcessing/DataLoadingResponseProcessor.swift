package import HttpMessages
import Logging
package import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Returns the response with its body as received, in memory, in a file or as a stream: the last node of a chain that
/// reads no JSON.
package final class DataLoadingResponseProcessor: AsyncNode<HttpResponse, HttpResponse>,
    @unchecked Sendable
{  // immutable state
    /// Creates the node.
    package override init() {}

    package override func execute(_ data: HttpResponse) async throws -> HttpResponse {
        log { [place = Self.place(of: data)] in place }
        return data
    }

    private static func place(of response: HttpResponse) -> String {
        if let file = response.file { return "written to \(file.path)" }
        return response.bytes == nil ? "\(response.data.count) bytes loaded" : "the body is streamed"
    }
}
