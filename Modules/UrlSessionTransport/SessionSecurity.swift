#if canImport(Darwin)
import CryptoKit
public import Foundation
public import HttpMessages
public import NodeCore
import Security

extension UrlSessionRequestSender {
    /// How the sender works on Apple platforms: the settings that all senders share, and URLSession's own. Not tested yet.
    ///
    /// ```swift
    /// var configuration = UrlSessionRequestSender.Configuration()
    /// configuration.timeouts.request = .seconds(30)
    /// configuration.pins = ["dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0="]
    /// let sender = try UrlSessionRequestSender(configuration: configuration)
    /// ```
    @dynamicMemberLookup
    public struct Configuration: Sendable {
        /// A certificate with its key, as PKCS #12 (RFC 7292).
        public struct ClientCertificate: Hashable, Sendable {
            /// The bytes of a `.p12` file.
            public var data: Data
            /// The password that encrypts it.
            public var password: String

            /// Creates a client certificate.
            public init(data: Data, password: String) {
                self.data = data
                self.password = password
            }
        }

        /// The settings that all senders share. Their members are members of this value, too.
        public var shared: SenderConfiguration
        /// SHA-256 hashes of public keys (SPKI) in base64. The chain of the server's certificate has to contain one of the
        /// keys, in addition to being valid; empty for no pinning. Add a backup key.
        public var pins: [String] = []
        /// The certificate for servers that request one. Only the origin of each request gets it, not that of a redirect.
        /// A reused connection keeps the choice of its TLS handshake.
        public var clientCertificate: ClientCertificate?
        /// Creates the session's configuration, in which the sender sets the shared settings; nil for an ephemeral one that
        /// stores nothing. Its cookie storage and `httpAdditionalHeaders` are not used: they could outlive the sender, and
        /// be sent to another origin after a redirect.
        public var session: (@Sendable () -> URLSessionConfiguration)?

        /// Creates the defaults with these shared settings.
        public init(_ shared: SenderConfiguration = SenderConfiguration()) {
            self.shared = shared
        }

        /// A member of ``shared``.
        public subscript<Value>(dynamicMember path: WritableKeyPath<SenderConfiguration, Value>) -> Value {
            get { shared[keyPath: path] }
            set { shared[keyPath: path] = newValue }
        }
    }
}

extension UrlSessionRequestSender.Configuration.ClientCertificate: MaskedValue {
    /// The size of the PKCS #12. Neither its bytes nor the password.
    public var description: String { "\(data.count) bytes of PKCS #12, password ***" }
}

/// Answers the authentication challenges of a session: checks pins, and presents a client certificate.
struct SessionSecurity: @unchecked Sendable {  // a credential is immutable
    /// What to do about a challenge.
    enum ChallengeDisposition {
        case system
        case use(URLCredential)
        case reject(TransportError.Code, String)
    }

    private let pins: Set<String>
    private let clientCredential: URLCredential?

    /// - Throws: `SenderConfigurationError` for pins and certificates that can't work.
    init(_ configuration: UrlSessionRequestSender.Configuration) throws {
        for pin in configuration.pins where Data(base64Encoded: pin)?.count != 32 {
            throw SenderConfigurationError(
                setting: "pins", reason: "each must be the base64 of a SHA-256 (32 bytes), without a prefix")
        }
        pins = Set(configuration.pins)
        clientCredential = configuration.clientCertificate.flatMap { Self.credential(from: $0) }
        if configuration.clientCertificate != nil, clientCredential == nil {
            throw SenderConfigurationError(
                setting: "clientCertificate", reason: "is no PKCS #12 with a key that this password opens")
        }
    }

    /// - Parameter request: the request that the task belongs to, before any redirect.
    func answer(_ challenge: URLAuthenticationChallenge, to request: HttpRequest) -> ChallengeDisposition {
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            guard !pins.isEmpty else { return .system }
            guard let trust = space.serverTrust, SecTrustEvaluateWithError(trust, nil) else {
                return .reject(.certificateRejected, "the server's certificate was rejected")
            }
            let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
            guard chain.contains(where: { Self.pin(of: $0).map(pins.contains) ?? false }) else {
                return .reject(.pinMismatch, "the server's key is none of the pinned ones")
            }
            return .use(URLCredential(trust: trust))
        case NSURLAuthenticationMethodClientCertificate:
            guard let clientCredential, !request.options.isLinkToOtherOrigin,
                Origin(request.url).isAt(space.host, space.port)
            else { return .system }
            return .use(clientCredential)
        default: return .system
        }
    }

    /// The pin of a certificate's key; nil for an algorithm that is not known.
    private static func pin(of certificate: SecCertificate) -> String? {
        guard let key = SecCertificateCopyKey(certificate),
            let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
            let attributes = SecKeyCopyAttributes(key) as? [String: Any],
            let type = attributes[kSecAttrKeyType as String] as? String,
            let bits = attributes[kSecAttrKeySizeInBits as String] as? Int
        else { return nil }
        let algorithm: SubjectPublicKey.Algorithm
        if type == kSecAttrKeyTypeRSA as String {
            algorithm = .rsa
        } else if type == kSecAttrKeyTypeECSECPrimeRandom as String, let curve = SubjectPublicKey.Curve(bits: bits) {
            algorithm = .ec(curve)
        } else {
            return nil
        }
        let der = SubjectPublicKey(algorithm: algorithm, key: Array(bytes)).der
        return Data(SHA256.hash(data: Data(der))).base64EncodedString()
    }

    /// The certificate with its key and its intermediates; nil if it can't be opened.
    private static func credential(
        from certificate: UrlSessionRequestSender.Configuration.ClientCertificate
    ) -> URLCredential? {
        var items: CFArray?
        // By default macOS stores the key in the login keychain.
        let options: [String: Any] = [
            kSecImportExportPassphrase as String: certificate.password, kSecImportToMemoryOnly as String: true,
        ]
        guard SecPKCS12Import(certificate.data as CFData, options as CFDictionary, &items) == errSecSuccess,
            let first = (items as? [[String: Any]])?.first, let identity = first[kSecImportItemIdentity as String],
            CFGetTypeID(identity as CFTypeRef) == SecIdentityGetTypeID()
        else { return nil }
        let chain = first[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
        return URLCredential(
            // Swift has no conditional cast to a type of Core Foundation.
            identity: unsafeDowncast(identity as AnyObject, to: SecIdentity.self),
            certificates: Array(chain.dropFirst()), persistence: .forSession)
    }
}
#endif
