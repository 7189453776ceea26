extension HttpRequest {
    package var isHttps: Bool {
        Origin(url).isHttps
    }

    /// Whether the sender may send the request twice: its options, method and headers allow it, and its body can
    /// still be sent.
    package var mayBeSentTwice: Bool {
        !options.isSentOnce && method.mayRepeat(with: headers) && body.canBeSent
    }

    /// Whether the request asks the server for a 100 (Continue) before its body (RFC 9110 §10.1.1).
    package var expectsContinue: Bool { headers["Expect"]?.lowercased().contains("100-continue") == true }
}
