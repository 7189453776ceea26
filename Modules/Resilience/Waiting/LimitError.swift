public import HttpMessages
import Logging
internal import Models
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The error of a request that a limit of the client rejected. Nothing was sent.
///
/// A predefined `RetryPolicy` doesn't send it again, since it would only join the others that wait.
public struct LimitError: NetChainFailure, MaskedValue {
    /// The kind of a ``LimitError``; new kinds may come.
    public struct Code: ErrorCode {
        package let name: String

        /// As many requests wait for the limit as may wait.
        public static let queueFull = Code(name: "queueFull")
    }

    /// What happened.
    public let code: Code
    /// The limit, such as `the concurrency limit of 32`.
    public let limit: String
    /// The method of the request.
    public let method: HttpMethod
    /// The URL of the request, with secrets masked.
    public let url: String
    /// How many requests wait for the limit.
    public let waiting: Int

    init(_ code: Code, of request: HttpRequest, limit: String, waiting: Int) {
        self.code = code
        self.limit = limit
        self.waiting = waiting
        method = request.method
        url = request.options.redaction.url(request.url.absoluteString)
    }

    /// True: the limit will admit requests again.
    public var isRetryable: Bool { true }

    /// The name of the code.
    public var errorType: String { code.name }

    /// The request and the limit, in one line.
    public var description: String {
        "\(method) \(url) was not sent: \(waiting) requests wait for \(limit) [\(code)]"
    }
}

extension LimitError: DescribedError, UnsentRequestError {}
