public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// NodeCore doesn't import Foundation, so this module adds the conformances.

extension ChainError: DescribedError {}
