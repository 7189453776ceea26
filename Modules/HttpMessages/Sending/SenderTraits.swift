#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a chain and a cache must know of their sender, because no request shows it.
package struct SenderTraits: Sendable {
    /// Names the credentials that the sender adds, such as a client certificate or a jar of cookies; nil for none. Two
    /// senders have the same name only if a server can't tell their users apart.
    package var credentials: String?
    /// Whether the sender adds a `Cookie`.
    package var addsCookies = false
    /// Whether the sender follows redirects. A redirect that another sender has stored is no response for it.
    package var followsRedirects = false
    /// Whether the sender decodes bodies with a `Content-Encoding`. A sender that doesn't decode neither stores nor
    /// gets such responses: their headers don't say whether the stored body is decoded.
    package var decodesBodies = true
    /// The `User-Agent` that the sender adds to a request without one; nil for none. `Vary` may nominate it.
    package var userAgent: String?
    /// The most bytes of a body in memory: `limits.responseSize`.
    package var responseSize = Int.max
    /// The names of the headers that the sender's configuration declares as secrets, without those that are secrets by
    /// default.
    package var declaredSecrets: Set<String> = []

    /// Creates the traits of a sender that adds no credentials and has no limit.
    package init() {}

    /// The traits of a sender. One that declares none may add credentials, so they are named after its type.
    package init(of sender: any RequestSender) {
        if let declaring = sender as? any TraitDeclaring {
            self = declaring.traits
        } else {
            credentials = "sender \(String(reflecting: type(of: sender)))"
        }
    }

    /// Creates the traits of a configuration.
    ///
    /// - Parameter certificate: the name of a client certificate.
    package init(_ configuration: SenderConfiguration, certificate: String? = nil) {
        responseSize = configuration.limits.responseSize
        userAgent = configuration.userAgent.flatMap { $0.isEmpty ? nil : $0 }
        followsRedirects = configuration.redirects.limit > 0
        declaredSecrets = configuration.redirects.declaredSecrets
        credentials = certificate.map { "certificate \($0)" }
        guard configuration.cookies == .memory else { return }
        addsCookies = true
        // The jar is that of one sender, and is empty in the next process.
        credentials = "\(credentials ?? "") cookies \(UInt64.random(in: 0 ... .max))"
    }
}

/// A sender that declares its traits. One that wraps another sender declares those of the other one.
package protocol TraitDeclaring: RequestSender {
    var traits: SenderTraits { get }
}

extension CurlConfiguration {
    /// The traits of a new sender with this configuration.
    package func makeTraits() -> SenderTraits {
        var traits = SenderTraits(shared, certificate: tls.clientCertificate?.name)
        traits.decodesBodies = compression
        return traits
    }
}

extension CurlConfiguration.Tls.ClientCertificate {
    /// The digest of the certificate's file, because an application may write the certificate of its next user to the same
    /// file; without a readable file a random name.
    fileprivate var name: String {
        guard let bytes = try? Data(contentsOf: URL(filePath: certificate.path)) else {
            return "\(UInt64.random(in: 0 ... .max))"
        }
        return "\(Sha256.digest(bytes))"
    }
}
