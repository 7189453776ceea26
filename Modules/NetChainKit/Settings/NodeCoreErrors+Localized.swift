public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// NodeCore knows no Foundation, so the umbrella adds this.

extension NodeError: LocalizedError {
    /// The `description`: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}

extension ObserverError: LocalizedError {
    /// The `description`: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}
