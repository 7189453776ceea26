#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An error whose description is also what Foundation's `localizedDescription` shows.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension JsonError: DescribedError {}
