// swift-format-ignore-file
// As much of the module os as NetChainKit uses, by its documentation, for Scripts/check.sh apple: nothing in it works.
public struct OSLogType: Sendable { public static let debug = OSLogType(), info = OSLogType(), `default` = OSLogType(), error = OSLogType() }
public struct OSLogPrivacy { public static var `public`: OSLogPrivacy { .init() } }
public struct OSLogInterpolation: StringInterpolationProtocol { public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ l: String) {}
  public mutating func appendInterpolation(_ s: @autoclosure @escaping () -> String, privacy: OSLogPrivacy) {} }
public struct OSLogMessage: ExpressibleByStringInterpolation { public init(stringInterpolation: OSLogInterpolation) {}; public init(stringLiteral: String) {} }
public struct Logger: Sendable { public init(subsystem: String, category: String) {}; public func log(level: OSLogType, _ m: OSLogMessage) {} }
