#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JsonError: LocalizedError {
    /// The ``description``: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}
