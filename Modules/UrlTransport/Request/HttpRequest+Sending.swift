extension HttpRequest {
    var isHttps: Bool {
        Origin(url).isHttps
    }

    /// Whether the sender may send the request twice: its method and headers allow it, and its body can still be sent.
    var mayBeSentTwice: Bool {
        method.mayRepeat(with: headers) && body.canBeSent
    }
}
