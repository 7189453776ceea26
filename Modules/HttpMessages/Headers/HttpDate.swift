#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A date in one of HTTP's three formats (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`,
/// `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
package struct HttpDate {
    package let date: Date

    /// - Parameter now: the time that determines the century of a two-digit year.
    package init?(_ text: String, now: Date) {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
        let order: (day: Int, month: Int, year: Int, time: Int)
        switch words.count {
        case 6 where words[5] == "GMT": order = (1, 2, 3, 4)
        case 5: order = (2, 1, 4, 3)
        default: return nil
        }
        // The weekday is checked because requests repeat the text.
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        guard days.contains(where: { $0 == words[0] || $0.prefix(3) == words[0] }) else { return nil }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = words[order.time].split(separator: ":", omittingEmptySubsequences: false).map(Self.number)
        guard let day = Self.number(words[order.day]), let month = months.firstIndex(of: words[order.month]),
            var year = Self.number(words[order.year]), time.count == 3, let hour = time[0], let minute = time[1],
            let second = time[2], hour < 24, minute < 60, second <= 60
        else { return nil }
        if words[order.year].count == 2 {
            // A two-digit year that appears to be more than 50 years ahead is in the past (RFC 9110 §5.6.7).
            let thisYear = Calendar(identifier: .gregorian).component(.year, from: now)
            year += thisYear / 100 * 100
            if year > thisYear + 50 { year -= 100 }
        }
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let daysOfMonth = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...daysOfMonth[month]).contains(day) else { return nil }
        var components = DateComponents()
        components.timeZone = .gmt
        (components.year, components.month, components.day) = (year, month + 1, day)
        (components.hour, components.minute, components.second) = (hour, minute, second)
        guard let date = Calendar(identifier: .gregorian).date(from: components) else { return nil }
        self.date = date
    }

    /// The value of one to four digits; nil for anything else.
    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(text)
    }
}
