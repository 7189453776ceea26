// Names that other libraries have for these. The compiler says which is meant.

extension TransportError.Code {
    /// Unavailable: names the code.
    @available(*, unavailable, renamed: "requestTimedOut")
    public static var timeout: TransportError.Code { .requestTimedOut }

    /// Unavailable: names the code.
    @available(*, unavailable, renamed: "requestTimedOut")
    public static var timedOut: TransportError.Code { .requestTimedOut }

    /// Unavailable: names the code.
    @available(*, unavailable, renamed: "noNetwork")
    public static var noInternetConnection: TransportError.Code { .noNetwork }
}
