import Models
import NodeCore
import UrlTransport

/// Builds the part of a chain that knows the network.
///
/// Subclass it to put nodes of your own around that part for every chain of a service, and give it to
/// `UrlChainsBuilder(serviceChain:)`. Used from one thread at a time, as the builder is.
open class UrlServiceChainBuilder {
    let sender: (any RequestSender)?

    /// Creates a builder of parts.
    ///
    /// - Parameter sender: what sends; without it the builder's, and without that ``DefaultRequestSender``.
    public init(sender: (any RequestSender)? = nil) {
        self.sender = sender
    }

    /// From the request that the application described to its response: all nodes that ``UrlChainsBuilder`` was asked
    /// for, with its settings.
    ///
    /// What comes up is the body as `Json`. Where the chain reads none, because it loads bytes or gives nothing back, it
    /// is a `null` that stands for the response, and an override passes it on.
    open func requestTransportChain() -> Node<HttpRequest, Json> {
        seedsTransportChain()
    }
}

extension UrlServiceChainBuilder: CustomReflectable {
    /// Shows nothing of what it was given, which may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
