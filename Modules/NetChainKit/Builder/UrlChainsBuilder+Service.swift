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
    /// Adds a provider of headers, which is called before each attempt. Later providers override earlier ones.
    @discardableResult
    public func add(provider: any MetadataProvider) -> Self {
        settings.providers.append(provider)
        return self
    }

    /// Sets headers after the request is built. They replace headers of the same name.
    ///
    /// Adds to the headers of earlier calls. Names are compared without regard to case; the last value of a name
    /// counts.
    @discardableResult
    public func inject(headers: [String: String]) -> Self {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            settings.injectedHeaders = settings.injectedHeaders.filter { !$0.key.equalsIgnoringCase(name) }
            settings.injectedHeaders[name] = value
        }
        return self
    }

    /// Refreshes the access token when the server rejects it, and sends the request again. All requests that share
    /// `refresher` share one refresh. Replaces the refresher of `auth`.
    ///
    /// - Parameters:
    ///   - refresher: the refresher; one for all chains that use the same token.
    ///   - isAccessFailure: which errors a new token may resolve; 401 and 403 by default. A 403 whose token arrived
    ///     within the refresher's `RefreshLimits.window` never causes a refresh.
    @discardableResult
    public func accessSafe(
        _ refresher: TokenRefresherNode, when isAccessFailure: (@Sendable (any Error) -> Bool)? = nil
    ) -> Self {
        settings.accessSafety = AccessSafety(refresher: refresher, isAccessFailure: isAccessFailure)
        return self
    }
}
