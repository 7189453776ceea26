extension HttpRequest {
    var isHttps: Bool {
        Origin(url).isHttps
    }

    /// Whether a server may get it twice. Not one whose body is gone.
    var mayBeSentTwice: Bool {
        method.mayRepeat(with: headers) && body.canBeSent
    }
}
