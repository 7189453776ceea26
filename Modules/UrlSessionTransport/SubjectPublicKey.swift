/// The SubjectPublicKeyInfo (RFC 5280 §4.1) of a public key in DER: what a pin is the hash of. Apple's Security gives the
/// key alone.
struct SubjectPublicKey {
    enum Algorithm {
        case rsa
        case ec(Curve)
    }

    /// A curve of RFC 5480 §2.1.1.1.
    enum Curve {
        case p256, p384, p521

        /// - Parameter bits: the size of its keys.
        init?(bits: Int) {
            switch bits {
            case 256: self = .p256
            case 384: self = .p384
            case 521: self = .p521
            default: return nil
            }
        }
    }

    let algorithm: Algorithm
    /// An RSAPublicKey of PKCS #1 (RFC 8017 §A.1.1), or a point of the curve (RFC 5480 §2.2).
    let key: [UInt8]

    var der: [UInt8] {
        Self.element(0x30, algorithmIdentifier + Self.element(0x03, [0] + key))
    }

    private var algorithmIdentifier: [UInt8] {
        let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        switch algorithm {
        case .rsa: return Self.element(0x30, Self.element(0x06, rsaEncryption) + Self.element(0x05, []))
        case .ec(let curve):
            return Self.element(0x30, Self.element(0x06, ecPublicKey) + Self.element(0x06, Self.identifier(of: curve)))
        }
    }

    private static func identifier(of curve: Curve) -> [UInt8] {
        switch curve {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        }
    }

    /// A tag, the length of the content (X.690 §8.1.3), and the content.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
