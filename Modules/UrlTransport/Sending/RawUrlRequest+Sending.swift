extension RawUrlRequest {
    var isHttps: Bool {
        Origin(url).isHttps
    }

    /// Whether a server may get it twice without harm (RFC 9110 §9.2.2), or can tell that it's the same again
    /// (draft-ietf-httpapi-idempotency-key-header). Not one whose body is gone.
    var mayBeSentTwice: Bool {
        (method.isIdempotent || headers["Idempotency-Key"] != nil) && body.canBeSent
    }
}
