import Models
import NodeCore
import UrlTransport

/// Builds the transport part of a chain: from the HTTP request to its response.
///
/// Subclass it to put custom nodes around that part in every chain of a service, and pass it to
/// `UrlChainsBuilder(serviceChain:)`. It is used from one thread at a time, like the builder.
open class UrlServiceChainBuilder {
    let sender: (any RequestSender)?

    /// Creates a builder.
    ///
    /// - Parameter sender: the sender of chains whose settings name none; ``DefaultRequestSender`` if it is nil.
    public init(sender: (any RequestSender)? = nil) {
        self.sender = sender
    }

    /// Builds the transport part, with all nodes that the settings of ``UrlChainsBuilder`` require.
    ///
    /// The output is the body as `Json`. If the chain doesn't parse the body, because it loads bytes or returns
    /// nothing, the output is a `null` that stands for the response. An override must pass it on.
    open func requestTransportChain() -> Node<HttpRequest, Json> {
        coreNetKitTransportChain()
    }
}

extension UrlServiceChainBuilder: CustomReflectable {
    /// Shows no children, because they may contain secrets.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
