// The code of CoreNetKit's page `access-safe.md`. Each difference, except in spelling, has a comment.

import NetChainKit

/// The samples stand in a namespace of their own.
enum AccessSafeSamples {
    class Service {
        func updateToken() -> Observer<Void> {
            SampleTokens.corrected.refresh()
            return .emit()
        }
    }

    // Swift 6 wants a subclass of a class that is `@unchecked Sendable` to say so again.
    class WrapperNode: Node<Void, Void>, @unchecked Sendable {
        override func process(_ data: Void) -> Observer<Void> {
            return Service().updateToken()
        }
    }

    // The builder knows the type of its routes.
    class AccessSafeChainBuilder: UrlChainsBuilder<UsageSamples.RegistrationRoute> {

        private static let tokenRefresherNode = TokenRefresherNode(tokenRefreshChain: WrapperNode())

        override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
            let transportChain = self.serviceChain.requestTransportChain()

            // CoreNetKit's page creates this node and doesn't use it: there, `transportChain` follows the transformer.
            let accessSafe = AccessSafeNode(next: transportChain, updateTokenChain: Self.tokenRefresherNode)

            let urlRequestTransformerNode = UrlRequestTransformerNode(next: accessSafe, method: config.method)
            let requestEncoderNode = RequestEncoderNode(next: urlRequestTransformerNode, encoding: config.encoding)
            let requestRouterNode = RequestRouterNode(next: requestEncoderNode, route: config.route)
            return MetadataConnectorNode(next: requestRouterNode, metadata: config.metadata)
        }
    }
}
