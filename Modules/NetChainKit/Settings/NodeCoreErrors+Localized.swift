import Models
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// NodeCore doesn't import Foundation, so this module adds the conformance.

extension ChainError: DescribedError {}
