import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LoopbackError: DescribedError {}
