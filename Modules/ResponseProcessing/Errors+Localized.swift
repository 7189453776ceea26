internal import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HttpError: DescribedError {}
extension ResponseParsingError: DescribedError {}
