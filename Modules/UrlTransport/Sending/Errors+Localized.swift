#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TransportError: LocalizedError {
    /// The ``description``, for Foundation's `localizedDescription`.
    public var errorDescription: String? { description }
}

extension TechnicalError: LocalizedError {
    /// The ``description``, for Foundation's `localizedDescription`.
    public var errorDescription: String? { description }
}

extension RequestBuildingError: LocalizedError {
    /// The ``description``, for Foundation's `localizedDescription`.
    public var errorDescription: String? { description }
}

extension SenderConfigurationError: LocalizedError {
    /// The ``description``, for Foundation's `localizedDescription`.
    public var errorDescription: String? { description }
}

extension ByteStreamError: LocalizedError {
    /// The ``description``, for Foundation's `localizedDescription`.
    public var errorDescription: String? { description }
}
