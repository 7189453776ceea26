import Logging
import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Gives the body as it came: the end of a chain that loads a file. (As in CoreNetKit.)
open class DataLoadingResponseProcessor: Node<HttpResponse, Data>, @unchecked Sendable {  // immutable state
    /// Makes the node.
    public override init() {}

    open override func process(_ data: HttpResponse) -> Observer<Data> {
        log { [count = data.data.count] in "\(count) bytes loaded" }
        return .emit(data: data.data)
    }
}

/// Lets bytes travel up the part of a chain that is typed for `Json`, so that chains that load files are built of the
/// same pipeline as all others; `LoadedDataNode` takes them out again.
package final class LoadedDataCarrierNode: Node<HttpResponse, Json>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpResponse, Data>

    package init(next: Node<HttpResponse, Data>) {
        self.next = next
    }

    package override func process(_ data: HttpResponse) -> Observer<Json> {
        next.process(data).map { Json(carrying: $0) }
    }
}

/// Takes the bytes out that ``LoadedDataCarrierNode`` put in.
///
/// A node that was put in between and answers with a `Json` of its own gives that text.
package final class LoadedDataNode<Input: Sendable>: Node<Input, Data>, @unchecked Sendable {  // immutable state
    private let next: Node<Input, Json>

    package init(next: Node<Input, Json>) {
        self.next = next
    }

    package override func process(_ data: Input) -> Observer<Data> {
        next.process(data).map { json -> Data in json.carried as? Data ?? json.data }
    }
}

/// Gives an empty `Json` whatever the body is: the end of a chain that gives nothing back.
package final class ResponseBodyIgnorerNode: Node<HttpResponse, Json>, @unchecked Sendable {  // immutable state
    package override init() {}

    package override func process(_ data: HttpResponse) -> Observer<Json> {
        .emit(data: Json())
    }
}
