import AccessSafe
import UrlTransport

extension UrlChainsBuilder: RequestConfigurable {
    /// Changes the settings of this builder.
    @discardableResult
    public func setting(_ change: (inout RequestSettings) -> Void) -> Self {
        change(&settings)
        return self
    }
}

extension UrlChainsBuilder {
    /// Adds a provider of headers, which is asked right before each sending. Later ones win over earlier ones.
    @discardableResult
    public func add(provider: any MetadataProvider) -> Self {
        settings.providers.append(provider)
        return self
    }

    /// Sets headers after the request was built, in place of headers of the same name. Adds to what was injected before;
    /// of one name, compared without regard to case, the last counts.
    @discardableResult
    public func inject(headers: [String: String]) -> Self {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            settings.injectedHeaders = settings.injectedHeaders.filter { !$0.key.equalsIgnoringCase(name) }
            settings.injectedHeaders[name] = value
        }
        return self
    }

    /// Refreshes the access token when the server refuses it, once for all requests that share `refresher`, and sends
    /// the request again. It replaces the refresher of `auth`.
    ///
    /// - Parameters:
    ///   - refresher: one for all chains that use the same token.
    ///   - isAccessFailure: which errors mean that a new token may help; without it 401 and 403. A 403 whose token
    ///     arrived within the refresher's `RefreshLimits.window` causes no refresh in any case.
    @discardableResult
    public func accessSafe(
        _ refresher: TokenRefresherNode, when isAccessFailure: (@Sendable (any Error) -> Bool)? = nil
    ) -> Self {
        settings.accessSafety = AccessSafety(refresher: refresher, isAccessFailure: isAccessFailure)
        return self
    }
}
