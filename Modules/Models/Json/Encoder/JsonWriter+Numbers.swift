extension JsonWriter {
    @inline(__always)
    func write<Value: FixedWidthInteger>(integer value: Value) {
        if Value.bitWidth > 64 {
            write(verbatim: value.description)
        } else if Value.isSigned {
            let wide = Int64(truncatingIfNeeded: value)
            write(digits: wide.magnitude, isNegative: wide < 0)
        } else {
            write(digits: UInt64(truncatingIfNeeded: value), isNegative: false)
        }
    }

    /// Writes decimal digits, from the last to the first, two at a time.
    func write(digits magnitude: UInt64, isNegative: Bool) {
        reserve(20)
        if isNegative {
            bytes[count] = 0x2D
            count += 1
        }
        let length = Self.digitCount(magnitude)
        var rest = magnitude
        var output = bytes + count + length
        while rest >= 10 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            output -= 1
            output.pointee = 0x30 + UInt8(truncatingIfNeeded: pair % 10)
            output -= 1
            output.pointee = 0x30 + UInt8(truncatingIfNeeded: pair / 10)
            rest = quotient
        }
        // One digit is left, unless the last pair has taken it.
        if output > bytes + count { bytes[count] = 0x30 + UInt8(truncatingIfNeeded: rest) }
        count += length
    }

    @inline(__always)
    private static func digitCount(_ value: UInt64) -> Int {
        var count = 1
        var limit: UInt64 = 10
        while count < 20, value >= limit {
            count += 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        return count
    }

    /// Writes the shortest text that reads back as the same value. The value must be finite.
    func write(double value: Double) {
        let magnitude = value.magnitude
        if magnitude < 9_007_199_254_740_992 {
            let whole = magnitude.rounded(.towardZero)
            if whole == magnitude {
                return write(digits: UInt64(whole), isNegative: value.sign == .minus)
            }
            if magnitude >= 0.001, magnitude < 1_000_000_000 {
                // If a decimal of at most 15 digits reads back as this value, it is the shortest text, without trailing
                // zeros. No two such decimals round to the same `Double`.
                if write(decimal: magnitude, scale: 1000, places: 3, value.sign) { return }
                if write(decimal: magnitude, scale: 1_000_000, places: 6, value.sign) { return }
            }
        }
        write(verbatim: JsonNumber.text(value))
    }

    /// Writes the value with up to this many decimal places if that reads back as the same value. Otherwise returns
    /// false.
    @inline(__always)
    private func write(decimal magnitude: Double, scale: Double, places: Int, _ sign: FloatingPointSign) -> Bool {
        let scaled = (magnitude * scale).rounded()
        guard scaled / scale == magnitude else { return false }
        let whole = UInt64(scaled)
        let unit = UInt64(scale)
        var (quotient, fraction) = whole.quotientAndRemainder(dividingBy: unit)
        write(digits: quotient, isNegative: sign == .minus)
        reserve(places + 1)
        bytes[count] = 0x2E
        count += 1
        quotient = unit / 10
        while fraction > 0 {
            let (digit, rest) = fraction.quotientAndRemainder(dividingBy: quotient)
            bytes[count] = 0x30 + UInt8(truncatingIfNeeded: digit)
            count += 1
            fraction = rest
            quotient /= 10
        }
        return true
    }

    /// Writes the shortest text that reads back as the same value. The value must be finite.
    func write(float value: Float) { write(verbatim: JsonNumber.text(value)) }
}
