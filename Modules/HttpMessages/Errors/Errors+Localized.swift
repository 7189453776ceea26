internal import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportError: DescribedError {}
extension TechnicalError: DescribedError {}
extension RequestBuildingError: DescribedError {}
extension SenderConfigurationError: DescribedError {}
extension ResponseBodyError: DescribedError {}
