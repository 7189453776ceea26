/// A date of an HTTP header, read leniently: in one of the three formats of RFC 9110 §5.6.7, in that of mail (RFC 5322
/// §3.3), which the same section asks recipients to expect, or in that of Netscape's cookies. Letters are
/// case-insensitive, as RFC 9111 §4.2 recommends.
///
/// | read as a date | because |
/// |---|---|
/// | `Thu, 18 Aug 2050 02:01:18 GMT`, `Thursday, 18-Aug-50 02:01:18 GMT`, `Thu Aug 18 02:01:18 2050` | RFC 9110 |
/// | `Thu, 8 Aug 2050 …`, `18 Aug 2050 …`, `Thu,18 Aug 2050 …`, `… 02:01 GMT`, `… 02:01:18 +0000` | RFC 5322 |
/// | `Thu, 18-Aug-50 02:01:18 GMT`; any weekday | servers write them, and each means one date only |
///
/// Any other form is invalid, so that an `Expires` with it has expired (RFC 9111 §5.3): among others those that the public
/// suite of cache tests calls invalid, which are another name of a zone than GMT, no comma, two blanks, hyphens with a year
/// of four digits, a year of two digits without them, periods in the time, and an hour of one digit.
///
/// Written here because `HttpDate` uses a calendar, which takes longer than the rest of a hit.
enum CacheDate {
    /// The end of the year 9999 in seconds since 1970.
    static let greatest = 253_402_300_799.0

    /// The date in seconds since 1970; nil for an invalid one.
    ///
    /// - Parameter now: the time that determines the century of a two-digit year.
    static func seconds(_ text: String, now: Double) -> Double? {
        var text = text
        return text.withUTF8 { bytes in
            var parser = Parser(bytes: bytes)
            return parser.date()?.seconds(now: now)
        }
    }

    private struct Parts {
        let day: Int
        let month: Int
        let year: Int
        var hasTwoDigits = false
        /// Seconds since midnight of the day in GMT, which may be those of another day.
        let time: Int

        func seconds(now: Double) -> Double? {
            var year = year
            if hasTwoDigits {
                // A two-digit year that appears to be more than 50 years ahead is in the past (RFC 9110 §5.6.7).
                let thisYear = 1970 + Int(min(max(0, now), 1e12) / 31_556_952)
                year += thisYear / 100 * 100
                if year > thisYear + 50 { year -= 100 }
            }
            let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            guard year >= 1601, (1...lengths[month - 1]).contains(day) else { return nil }
            let seconds = Double(Int64(CacheDate.days(year, month, day)) * 86_400 + Int64(time))
            return seconds <= greatest ? seconds : nil
        }
    }

    /// Reads the formats from left to right.
    private struct Parser {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        init(bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
        }

        mutating func date() -> Parts? {
            let hasWeekday = weekday()
            let isAsctime = hasWeekday && !take(",")
            if !isAsctime, hasWeekday { _ = take(" ") }
            let parts = isAsctime ? asctimeDate() : dayFirstDate()
            return position == bytes.count ? parts : nil
        }

        /// `18 Aug 2050 02:01:18 GMT` or `18-Aug-50 02:01:18 GMT`
        private mutating func dayFirstDate() -> Parts? {
            guard let day = number(1...2) else { return nil }
            let hasHyphens = take("-")
            let separator: StaticString = hasHyphens ? "-" : " "
            guard hasHyphens || take(" "), let month = month(), take(separator),
                let year = number(hasHyphens ? 2...2 : 4...4), take(" "), let time = time(), take(" "),
                let offset = offset()
            else { return nil }
            return Parts(day: day, month: month, year: year, hasTwoDigits: hasHyphens, time: time - offset)
        }

        /// ` Aug 18 02:01:18 2050`, ` Aug  8 02:01:18 2050` or ` Aug 8 02:01:18 2050`
        private mutating func asctimeDate() -> Parts? {
            guard take(" "), let month = month(), take(" "), let day = take(" ") ? number(1...1) : number(1...2),
                take(" "), let time = time(), take(" "), let year = number(4...4)
            else { return nil }
            return Parts(day: day, month: month, year: year, time: time)
        }

        /// The seconds of `02:01:18` or `02:01`.
        private mutating func time() -> Int? {
            guard let hour = number(2...2), take(":"), let minute = number(2...2), hour < 24, minute < 60 else {
                return nil
            }
            guard take(":") else { return hour * 3600 + minute * 60 }
            guard let second = number(2...2), second <= 60 else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        /// The seconds of `GMT` or `+0130`: how far the zone is ahead.
        private mutating func offset() -> Int? {
            if take("gmt") { return 0 }
            let isAhead = take("+")
            guard isAhead || take("-"), let digits = number(4...4), digits / 100 < 24, digits % 100 < 60 else {
                return nil
            }
            let seconds = digits / 100 * 3600 + digits % 100 * 60
            return isAhead ? seconds : -seconds
        }

        private mutating func take(_ text: StaticString) -> Bool {
            let count = text.utf8CodeUnitCount
            guard position + count <= bytes.count else { return false }
            for index in 0..<count where lowercased(position + index) != text.utf8Start[index] { return false }
            position += count
            return true
        }

        /// Reads as many digits as there are, within these bounds.
        private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
            var (number, count) = (0, 0)
            while count < digits.upperBound, position < bytes.count, case 0x30...0x39 = bytes[position] {
                number = number * 10 + Int(bytes[position] - 0x30)
                position += 1
                count += 1
            }
            return count >= digits.lowerBound ? number : nil
        }

        private mutating func month() -> Int? {
            Self.months.firstIndex { take($0) }.map { $0 + 1 }
        }

        /// Skips a weekday, short or in full. Returns false where there is none. Whether it is that of the date isn't
        /// checked: a wrong one is a known fault of servers, and the rest says which day it is.
        private mutating func weekday() -> Bool {
            for (short, rest) in Self.weekdays where take(short) {
                _ = take(rest)
                return true
            }
            return false
        }

        private func lowercased(_ index: Int) -> UInt8 {
            let byte = bytes[index]
            return byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
        }

        private static let months: [StaticString] = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        private static let weekdays: [(StaticString, StaticString)] = [
            ("sun", "day"), ("mon", "day"), ("tue", "sday"), ("wed", "nesday"), ("thu", "rsday"), ("fri", "day"),
            ("sat", "urday"),
        ]
    }

    /// The days since 1970-01-01. A year begins in March here, so that a leap day is its last one.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date as HTTP writes it (RFC 9110 §5.6.7), of seconds since 1970.
    static func text(_ seconds: Double) -> String {
        // Int may have 32 bits.
        let whole = Int64(seconds.rounded(.down)).quotientAndRemainder(dividingBy: 86_400)
        let (days, time) = (Int(whole.quotient), Int(whole.remainder))
        // The inverse of `days`.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
        let name = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][month - 1]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))"
        return "\(weekday), \(two(day)) \(name) \(year) \(clock) GMT"
    }
}
