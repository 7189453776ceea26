#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HttpError: LocalizedError {
    /// The ``description``: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}

extension ResponseParsingError: LocalizedError {
    /// The ``description``: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}

extension ReceivedBodyError: LocalizedError {
    /// The ``description``: what Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}
