#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes dates in ISO 8601 format, such as `2026-03-01T12:00:00Z`.
enum JsonDate {
    static func parse(_ text: String) -> Date? { try? Date.ISO8601FormatStyle().parse(text) }

    static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
