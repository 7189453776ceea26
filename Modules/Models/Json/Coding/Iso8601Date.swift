#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes dates in ISO 8601 format, such as `2026-03-01T12:00:00Z`.
package enum Iso8601Date {
    static func parse(_ text: String) -> Date? { try? Date.ISO8601FormatStyle().parse(text) }

    /// The years 1 to 9999, which have four digits (RFC 3339, section 1), in seconds since 1970-01-01T00:00:00Z. The
    /// year 1 starts with `Date.distantPast`. The calendar traps for NaN, infinity and very large numbers.
    private static let seconds: Range<Double> = -62_135_769_600..<253_402_300_800

    /// Returns nil for a date outside the years 1 to 9999.
    package static func text(_ date: Date) -> String? {
        seconds.contains(date.timeIntervalSince1970) ? date.formatted(.iso8601) : nil
    }
}
