// swift-format-ignore-file
// As much of the module CryptoKit as NetChainKit uses, by its documentation, for Scripts/check.sh apple: nothing in it works.
public import Foundation
public struct SHA256Digest: Sequence { public func makeIterator() -> [UInt8].Iterator { [].makeIterator() } }
public enum SHA256 { public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { SHA256Digest() } }
