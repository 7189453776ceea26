#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TransportError: DescribedError {}
extension TechnicalError: DescribedError {}
extension RequestBuildingError: DescribedError {}
extension SenderConfigurationError: DescribedError {}
extension ResponseBodyError: DescribedError {}
