import Logging
import Models
package import NodeCore
package import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Lets a whole answer, as one whose body went to a file or a stream, travel up the part of a chain that is typed for
/// `Json`.
package final class ReceivedBodyCarrierNode: Node<HttpResponse, Json>, @unchecked Sendable {  // immutable state
    package override init() {}

    package override func process(_ data: HttpResponse) -> Observer<Json> {
        log { [words = Self.words(for: data)] in words }
        return .emit(data: Json(carrying: data))
    }

    private static func words(for data: HttpResponse) -> String {
        if let file = data.file { return "written to \(file.path)" }
        return data.bytes == nil ? "the answer goes on as it came" : "the body is streamed"
    }
}

/// Takes out what ``ReceivedBodyCarrierNode`` put in. An answer that was accepted and has no such body, because its
/// status is no success, is an ``HttpError``.
package final class ReceivedBodyNode<Input: Sendable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    private let next: Node<Input, Json>
    private let take: @Sendable (HttpResponse) -> Output?

    package init(next: Node<Input, Json>, take: @escaping @Sendable (HttpResponse) -> Output?) {
        self.next = next
        self.take = take
    }

    package override func process(_ data: Input) -> Observer<Output> {
        next.process(data).map { [take] json -> Output in
            guard let response = json.carried as? HttpResponse else { throw ReceivedBodyError() }
            guard let body = take(response) else { throw HttpError(response) }
            return body
        }
    }
}

/// A node of the chain answered with a `Json` of its own where the chain gives what came: a file, a stream, or a
/// ``ApiResponse``.
public struct ReceivedBodyError: Error, CustomStringConvertible {
    /// What is wrong.
    public var description: String {
        "A node gave a Json of its own in place of an answer whose file, stream, status or headers the chain gives."
    }
}
