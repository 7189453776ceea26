@_exported import AccessSafe
@_exported import EventStreams
@_exported import HttpArchive
@_exported import HttpCaching
@_exported import HttpMessages
@_exported import Logging
@_exported import Models
@_exported import NodeCore
@_exported import Resilience
@_exported import ResponseProcessing
@_exported import UrlTransport

#if canImport(Darwin)
@_exported import UrlSessionTransport
#endif
