/// A date of an HTTP header in one of the three formats of RFC 9110 §5.6.7. Letters are case-insensitive, as RFC 9111
/// §4.2 recommends; another time zone than GMT is invalid there, and so is any other form (§5.3).
///
/// Written here because `HttpDate` uses a calendar, which takes longer than the rest of a hit.
enum CacheDate {
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
            return Double(CacheDate.days(year, month, day) * 86_400 + time)
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
            guard let weekday = weekday() else { return nil }
            let parts = take(",") ? weekday == 3 ? fixedDate() : rfc850Date() : asctimeDate()
            return position == bytes.count ? parts : nil
        }

        /// ` 18 Aug 2050 02:01:18 GMT`
        private mutating func fixedDate() -> Parts? {
            guard take(" "), let day = number(2), take(" "), let month = month(), take(" "), let year = number(4),
                take(" "), let time = time(), take(" gmt")
            else { return nil }
            return Parts(day: day, month: month, year: year, time: time)
        }

        /// ` 18-Aug-50 02:01:18 GMT`
        private mutating func rfc850Date() -> Parts? {
            guard take(" "), let day = number(2), take("-"), let month = month(), take("-"), let year = number(2),
                take(" "), let time = time(), take(" gmt")
            else { return nil }
            return Parts(day: day, month: month, year: year, hasTwoDigits: true, time: time)
        }

        /// ` Aug 18 02:01:18 2050`, or ` Aug  8 02:01:18 2050`
        private mutating func asctimeDate() -> Parts? {
            guard take(" "), let month = month(), take(" "), let day = take(" ") ? number(1) : number(2), take(" "),
                let time = time(), take(" "), let year = number(4)
            else { return nil }
            return Parts(day: day, month: month, year: year, time: time)
        }

        /// The seconds of `02:01:18`.
        private mutating func time() -> Int? {
            guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2), hour < 24,
                minute < 60, second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        private mutating func take(_ text: StaticString) -> Bool {
            let count = text.utf8CodeUnitCount
            guard position + count <= bytes.count else { return false }
            for index in 0..<count where lowercased(position + index) != text.utf8Start[index] { return false }
            position += count
            return true
        }

        private mutating func number(_ digits: Int) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var number = 0
            for _ in 0..<digits {
                guard case 0x30...0x39 = bytes[position] else { return nil }
                number = number * 10 + Int(bytes[position] - 0x30)
                position += 1
            }
            return number
        }

        private mutating func month() -> Int? {
            Self.months.firstIndex { take($0) }.map { $0 + 1 }
        }

        /// Returns the number of letters.
        private mutating func weekday() -> Int? {
            let start = position
            for (short, rest) in Self.weekdays where take(short) {
                _ = take(rest)
                return position - start
            }
            return nil
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
        let whole = Int(seconds.rounded(.down))
        let (days, time) = whole.quotientAndRemainder(dividingBy: 86_400)
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
