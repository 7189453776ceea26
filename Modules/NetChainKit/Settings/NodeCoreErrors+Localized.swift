public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// NodeCore doesn't import Foundation, so this module adds the conformances.

extension NodeError: LocalizedError {
    /// The `description`: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}

extension ObserverError: LocalizedError {
    /// The `description`: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}
