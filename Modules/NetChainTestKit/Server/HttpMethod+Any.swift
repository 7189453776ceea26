public import HttpMessages

extension HttpMethod {
    /// Stands for every method in a route or a wait of a ``LoopbackServer``; never the method of a request.
    public static let any: HttpMethod = "*"

    /// Whether a request with `method` matches.
    func covers(_ method: HttpMethod) -> Bool {
        self == .any || self == method
    }
}
