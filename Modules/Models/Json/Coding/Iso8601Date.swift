#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes dates in ISO 8601 format, such as `2026-03-01T12:00:00Z`.
///
/// The usual form is read and written here, with the same results as Foundation's, which takes 35 times as long to read
/// a date. Older versions of Foundation reject fractions of a second. Everything else is left to Foundation.
package enum Iso8601Date {
    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        read(text) ?? (try? Date.ISO8601FormatStyle().parse(String(decoding: text, as: UTF8.self)))
    }

    // Seconds since 2001-01-01T00:00:00Z, as `Date` stores them: a conversion to those since 1970 may round into the next
    // second.

    /// The years 1 to 9999, which have four digits (RFC 3339, section 1). The year 1 starts with `Date.distantPast`. The
    /// calendar traps for NaN, infinity and very large numbers.
    private static let seconds: Range<Double> = -63_114_076_800..<252_423_993_600

    /// Returns nil for a date outside the years 1 to 9999.
    package static func text(_ date: Date) -> String? {
        guard seconds.contains(date.timeIntervalSinceReferenceDate) else { return nil }
        guard isUsual(date) else { return date.formatted(.iso8601) }
        return String(unsafeUninitializedCapacity: length) { text in
            guard let text = text.baseAddress else { return 0 }
            write(date, to: text)
            return length
        }
    }

    // MARK: - The usual form

    /// The length of a written date in bytes.
    static let length = 20
    /// The first full year of the Gregorian calendar.
    private static let firstYear = 1583
    private static let firstSecond = -13_190_860_800.0
    private static let secondsToReferenceDate = 978_307_200

    /// Whether `write` can write the date: whether its year is in 1583...9999.
    static func isUsual(_ date: Date) -> Bool {
        (firstSecond..<seconds.upperBound).contains(date.timeIntervalSinceReferenceDate)
    }

    /// Reads exactly `YYYY-MM-DDTHH:MM:SS`, perhaps a fraction of up to nine digits, and `Z` or `±hh:mm`. Returns nil
    /// for any other text, for leap seconds, dates that don't exist, years before 1583 and offsets beyond 14 hours.
    static func read(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        guard text.count >= 20, text.count <= 35, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54,
            text[13] == 0x3A, text[16] == 0x3A,
            let year = number(text, 0, 4), year >= firstYear,
            let month = number(text, 5, 2), 1...12 ~= month,
            let day = number(text, 8, 2), day >= 1, day <= days(inMonth: month, of: year),
            let hour = number(text, 11, 2), hour < 24,
            let minute = number(text, 14, 2), minute < 60,
            let second = number(text, 17, 2), second < 60
        else { return nil }
        var place = 19
        var fraction = 0.0
        if text[place] == 0x2E {
            let start = place + 1
            place = start
            while place < text.count, text[place] &- 0x30 < 10 { place += 1 }
            guard place - start <= 9, let digits = number(text, start, place - start) else { return nil }
            fraction = Double(digits) / JsonNumber.powersOfTen[place - start]
        }
        guard let offset = offset(text, at: place) else { return nil }
        let midnight = daysSince1970(year, month, day) * 86_400 - secondsToReferenceDate
        // Foundation's order of additions: another one rounds other fractions.
        let time = Double((hour * 60 + minute) * 60 + second) + fraction
        return Date(timeIntervalSinceReferenceDate: Double(midnight) + time - Double(offset))
    }

    /// Reads `Z` or `±hh:mm` at the end of the text, in seconds east of Greenwich.
    private static func offset(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
        if place == text.count - 1, text[place] == 0x5A { return 0 }
        guard place == text.count - 6, text[place] == 0x2B || text[place] == 0x2D, text[place + 3] == 0x3A,
            let hours = number(text, place + 1, 2), hours <= 14,
            let minutes = number(text, place + 4, 2), minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (text[place] == 0x2B ? 60 : -60)
    }

    /// A number of exactly `count` digits; nil if `count` is 0.
    @inline(__always)
    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for index in start..<start + count {
            let digit = text[index] &- 0x30
            if digit > 9 { return nil }
            value = value * 10 + Int(digit)
        }
        return count == 0 ? nil : value
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }

    // The two conversions count in eras of 400 years (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    // A year starts in March, so that a leap day is its last day.

    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    /// Writes a usual date in `length` bytes.
    static func write(_ date: Date, to text: UnsafeMutablePointer<UInt8>) {
        let seconds =
            Int(date.timeIntervalSinceReferenceDate.rounded(.down)) + secondsToReferenceDate + 719_468 * 86_400
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)
        var place = 0
        func put(_ number: Int, _ separator: UInt8) {
            text[place] = 0x30 + UInt8(truncatingIfNeeded: number / 10)
            text[place + 1] = 0x30 + UInt8(truncatingIfNeeded: number % 10)
            text[place + 2] = separator
            place += 3
        }
        put(year / 100, 0)
        place = 2
        put(year % 100, 0x2D)
        put(month < 10 ? month + 3 : month - 9, 0x2D)
        put(dayOfYear - (153 * month + 2) / 5 + 1, 0x54)
        put(time / 3_600, 0x3A)
        put(time / 60 % 60, 0x3A)
        put(time % 60, 0x5A)
    }
}
