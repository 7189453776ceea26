/// A date of an HTTP header, read as leniently as browsers do: weekdays are ignored, upper and lower case are the same,
/// separators are blanks, commas and hyphens, digits may be missing (RFC 6265 §5.1.1 is the model). It is in UTC; any
/// other zone is invalid.
///
/// Written here because `HttpDate` is strict, and uses a calendar, which takes longer than the rest of a hit.
enum LenientDate {
    /// The longest text in bytes. A longer one is invalid.
    private static let longest = 64

    /// The date in seconds since 1970; nil for an invalid one.
    ///
    /// - Parameter now: the time that determines the century of a two-digit year.
    static func seconds(_ text: String, now: Double) -> Double? {
        guard text.utf8.count <= longest else { return nil }
        var parts = Parts()
        let words = text.utf8.split { $0 == 0x20 || $0 == 0x2C || $0 == 0x2D || $0 == 0x09 }
        for word in words where !parts.take(word) { return nil }
        return parts.seconds(now: now)
    }

    private struct Parts {
        var day: Int?
        var month: Int?
        var year: (number: Int, hasTwoDigits: Bool)?
        var time: Int?
        var hasZone = false

        /// Returns false for a word that belongs to no date.
        mutating func take(_ word: Substring.UTF8View) -> Bool {
            if word.contains(0x3A) { return takeTime(word) }
            if let first = word.first, case 0x30...0x39 = first { return takeNumber(word) }
            return takeName(String(Substring(word)).lowercased())
        }

        private mutating func takeTime(_ word: Substring.UTF8View) -> Bool {
            let numbers = word.split(separator: 0x3A, omittingEmptySubsequences: false).map {
                number($0, digits: 1...2)
            }
            guard time == nil, numbers.count == 3, let hour = numbers[0], let minute = numbers[1],
                let second = numbers[2], hour < 24, minute < 60, second <= 60
            else { return false }
            time = hour * 3600 + minute * 60 + second
            return true
        }

        private mutating func takeNumber(_ word: Substring.UTF8View) -> Bool {
            if day == nil, let number = number(word, digits: 1...2) {
                day = number
            } else if year == nil, word.count == 2 || word.count == 4, let number = number(word, digits: 2...4) {
                year = (number, word.count == 2)
            } else {
                return false
            }
            return true
        }

        private mutating func takeName(_ name: String) -> Bool {
            if let index = Self.months.firstIndex(of: String(name.prefix(3))), month == nil {
                month = index + 1
            } else if Self.zones.contains(name), !hasZone {
                hasZone = true
            } else {
                return Self.weekdays.contains(String(name.prefix(3)))
            }
            return true
        }

        private func number(_ word: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
            guard digits.contains(word.count), word.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            return word.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        func seconds(now: Double) -> Double? {
            guard let day, let month, let year, let time else { return nil }
            var number = year.number
            if year.hasTwoDigits {
                // A two-digit year that appears to be more than 50 years ahead is in the past (RFC 9110 §5.6.7).
                let thisYear = 1970 + Int((now / 31_556_952).rounded(.down))
                number += thisYear / 100 * 100
                if number > thisYear + 50 { number -= 100 }
            }
            let isLeapYear = number % 4 == 0 && (number % 100 != 0 || number % 400 == 0)
            let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            guard number >= 1601, (1...lengths[month - 1]).contains(day) else { return nil }
            return Double(Self.days(number, month, day) * 86_400 + time)
        }

        /// The days since 1970-01-01. A year begins in March here, so that a leap day is its last one.
        private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
            let shifted = month > 2 ? year : year - 1
            let era = shifted / 400
            let yearOfEra = shifted - era * 400
            let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
            return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        }

        private static let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        private static let weekdays: Set = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        private static let zones: Set = ["gmt", "utc", "ut", "z"]
    }

    /// The date as HTTP writes it (RFC 9110 §5.6.7), of seconds since 1970.
    static func text(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.down))
        let (days, time) = whole.quotientAndRemainder(dividingBy: 86_400)
        // The inverse of `Parts.days`.
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
