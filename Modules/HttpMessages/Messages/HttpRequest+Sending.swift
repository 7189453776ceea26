#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension HttpRequest {
    package var isHttps: Bool {
        Origin(url).isHttps
    }

    /// Whether a server may get the request twice: its method and headers allow it, and its body can still be sent.
    package var mayBeSentTwice: Bool { method.mayRepeat(with: headers) && body.canBeSent }

    /// Whether the request asks the server for a 100 (Continue) before its body (RFC 9110 §10.1.1).
    package var expectsContinue: Bool { headers["Expect"]?.lowercased().contains("100-continue") == true }

    /// Adds an `Idempotency-Key`, unless the method is idempotent or the request has one.
    ///
    /// The value is a random UUID as a string of RFC 9651, which is quoted (draft-ietf-httpapi-idempotency-key-header-07
    /// §2.1). Servers that take any text, such as Stripe's, take the quotes for a part of the key.
    package mutating func addIdempotencyKey() {
        guard !method.mayRepeat(with: headers) else { return }
        headers["Idempotency-Key"] = "\"\(UUID().uuidString.lowercased())\""
    }
}
