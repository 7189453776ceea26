import NodeCore
import ResponseProcessing
import Synchronization
import UrlTransport

/// What the requests of a client share: its settings, and the nodes from the HTTP request to the response.
///
/// These nodes are built once for each kind of response (``Built``), with new instances of an application's inserted
/// nodes.
final class ClientChains: Sendable {
    /// The nodes for each kind of response: JSON without status 304, JSON where 304 is allowed, and bytes.
    private struct Built {
        var json: Node<HttpRequest, HttpResponse>?
        var jsonOrNotModified: Node<HttpRequest, HttpResponse>?
        var bytes: Node<HttpRequest, HttpResponse>?
    }

    /// The first nodes of requests with just these settings.
    let order: ChainOrder
    private let built = Mutex(Built())

    init(_ settings: RequestSettings) {
        order = ChainOrder(settings, .json, .memory)
        settings.endCachedSessions()
    }

    var settings: RequestSettings { order.settings }

    /// Returns this object if both settings need the same nodes, otherwise a new one.
    func with(_ other: RequestSettings) -> ClientChains {
        other.shape === order.settings.shape ? self : ClientChains(other)
    }

    /// The nodes from the HTTP request to the response.
    func transport(_ format: BodyFormat, tellsNotModified: Bool) -> Node<HttpRequest, HttpResponse> {
        let place: any WritableKeyPath<Built, Node<HttpRequest, HttpResponse>?> & Sendable =
            format == .bytes ? \.bytes : tellsNotModified ? \.jsonOrNotModified : \.json
        if let chain = built.withLock({ $0[keyPath: place] }) { return chain }
        var settings = settings
        settings.limitStatuses(to: format, tellsNotModified: tellsNotModified)
        // Built without the lock, since it calls code of the application.
        let chain = ChainOrder(settings, format, .memory).transportChain()
        return built.withLock { built in
            if built[keyPath: place] == nil { built[keyPath: place] = chain }
            return built[keyPath: place] ?? chain
        }
    }
}
