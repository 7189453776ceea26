// swift-format-ignore-file
// As much of the module Security, and of what Foundation adds for it, as NetChainKit uses, by its documentation, for
// Scripts/check.sh apple: nothing in it works. Types of Core Foundation are those of Foundation that they bridge to.
public import Foundation
public import FoundationNetworking
public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFString = String
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias OSStatus = Int32
public final class CFError {}
public final class SecTrust: @unchecked Sendable {}
public final class SecCertificate: @unchecked Sendable {}
public final class SecKey: @unchecked Sendable {}
public final class SecIdentity: @unchecked Sendable {}
public let NSURLAuthenticationMethodServerTrust = "", NSURLAuthenticationMethodClientCertificate = ""
public let errSecSuccess: OSStatus = 0
public let kSecAttrKeyType: CFString = "", kSecAttrKeySizeInBits: CFString = "", kSecAttrKeyTypeRSA: CFString = "", kSecAttrKeyTypeECSECPrimeRandom: CFString = "", kSecImportExportPassphrase: CFString = "", kSecImportItemIdentity: CFString = "", kSecImportItemCertChain: CFString = "", kSecImportToMemoryOnly: CFString = ""
public func CFGetTypeID(_: CFTypeRef!) -> CFTypeID { 0 }
public func SecIdentityGetTypeID() -> CFTypeID { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { nil }
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? { nil }
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { nil }
public func SecPKCS12Import(_ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus { 0 }
extension URLProtectionSpace { public var serverTrust: SecTrust? { nil } }
extension URLCredential {
  public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
  public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence) { self.init(user: "", password: "", persistence: persistence) }
}
