#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension AccessSafeError: LocalizedError {
    /// The ``description``: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}
