#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HttpError: DescribedError {}
extension ResponseParsingError: DescribedError {}
