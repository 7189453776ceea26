internal import Models

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension TransportError: DescribedError {}
extension TechnicalError: DescribedError {}
extension RequestBuildingError: DescribedError {}
extension SenderConfigurationError: DescribedError {}
extension ResponseBodyError: DescribedError {}
