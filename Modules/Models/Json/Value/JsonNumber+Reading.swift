#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads numbers whose characters the parser has validated.
extension JsonNumber {
    /// A whole number of up to 64 bits.
    struct Parsed {
        var magnitude: UInt64
        var isNegative: Bool
        /// False if the number has more digits than a `UInt64` holds.
        var isExact: Bool

        @inline(__always)
        func value<Value: FixedWidthInteger>(as type: Value.Type) -> Value? {
            if !isNegative { return Value(exactly: magnitude) }
            guard magnitude <= 1 << 63 else { return nil }
            return Value(exactly: Int64(truncatingIfNeeded: 0 &- magnitude))
        }
    }

    /// Reads a number without fraction and exponent.
    static func integer(_ start: UnsafePointer<UInt8>, _ count: Int) -> Parsed {
        let isNegative = start.pointee == 0x2D
        var cursor = isNegative ? start + 1 : start
        let end = start + count
        var magnitude: UInt64 = 0
        // 19 digits always fit; the twentieth may not.
        let safe = min(end, cursor + 19)
        while cursor < safe {
            magnitude = magnitude &* 10 &+ UInt64(cursor.pointee &- 0x30)
            cursor += 1
        }
        if cursor == end { return Parsed(magnitude: magnitude, isNegative: isNegative, isExact: true) }
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(UInt64(cursor.pointee &- 0x30))
        let isExact = !overflow && !carry && cursor + 1 == end
        return Parsed(magnitude: sum, isNegative: isNegative, isExact: isExact)
    }

    /// The nearest `Double`; nil if that is infinite, or if it is zero and the number is not.
    static func double(_ start: UnsafePointer<UInt8>, _ count: Int) -> Double? {
        let number = Scanned(start, count)
        if number.isExact {
            if number.digits <= 1 << 53, number.exponent.magnitude <= 22 {
                let digits = Double(number.digits)
                let power = powersOfTen[Int(number.exponent.magnitude)]
                let value = number.exponent < 0 ? digits / power : digits * power
                return number.isNegative ? -value : value
            }
            if let (significand, exponent) = number.binary {
                let value = Double(significand) * Double(sign: .plus, exponent: exponent, significand: 1)
                return number.isNegative ? -value : value
            }
        }
        return representable(Double(text(start, count)), number)
    }

    /// The nearest `Float`; nil if that is infinite, or if it is zero and the number is not.
    static func float(_ start: UnsafePointer<UInt8>, _ count: Int) -> Float? {
        let number = Scanned(start, count)
        if number.isExact, let (significand, exponent) = number.binary {
            // The only rounding is the one to `Float`. Scaling that as a `Double` is exact. So is the conversion back,
            // because the smallest number here is far above the subnormal ones.
            let value = Float(Double(Float(significand)) * Double(sign: .plus, exponent: exponent, significand: 1))
            if value.isFinite { return number.isNegative ? -value : value }
        }
        return representable(Float(text(start, count)), number)
    }

    /// The number as a `Decimal`; nil if its exponent is out of range.
    static func decimal(_ text: String) -> Decimal? {
        guard let value = Decimal(string: text), !value.isNaN else { return nil }
        return value
    }

    private static func text(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private static func representable<Value: BinaryFloatingPoint>(_ value: Value?, _ number: Scanned) -> Value? {
        guard let value, value.isFinite, value != 0 || number.digits == 0 else { return nil }
        return value
    }

    /// Powers of ten that a `Double` holds exactly.
    static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    /// Powers of five that a `UInt64` holds.
    private static let powersOfFive: [UInt64] = (0...27).map { (0..<$0).reduce(1) { power, _ in power &* 5 } }

    /// A number as an integer times a power of ten.
    private struct Scanned {
        var isNegative = false
        /// The digits without the point; 0 only if all digits are 0.
        var digits: UInt64 = 0
        var exponent = 0
        /// False if there are more than 19 digits or the exponent is extreme. Then only `digits == 0` is meaningful.
        var isExact = true

        @inline(__always)
        init(_ start: UnsafePointer<UInt8>, _ count: Int) {
            var cursor = start
            let end = start + count
            if cursor.pointee == 0x2D {
                isNegative = true
                cursor += 1
            }
            let first = cursor
            readDigits(&cursor, end)
            if cursor < end, cursor.pointee == 0x2E {
                cursor += 1
                let fraction = cursor
                readDigits(&cursor, end)
                exponent = fraction - cursor
            }
            // Any 19 digits fit. The decimal point may be one of these characters.
            if cursor - first > 19 { readManyDigits(first, cursor) }
            if cursor < end { readExponent(cursor + 1, end) }
            if digits == 0, isExact { exponent = 0 }
        }

        @inline(__always)
        private mutating func readDigits(_ cursor: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
            while cursor < end, case let digit = cursor.pointee &- 0x30, digit < 10 {
                digits = digits &* 10 &+ UInt64(digit)
                cursor += 1
            }
        }

        /// Reads the digits again, without leading zeros.
        @inline(never)
        private mutating func readManyDigits(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
            digits = 0
            var used = 0
            for character in UnsafeBufferPointer(start: start, count: end - start) where character != 0x2E {
                let digit = UInt64(character &- 0x30)
                if used < 19 { digits = digits &* 10 &+ digit } else { digits |= digit }
                if digits != 0 { used += 1 }
            }
            isExact = used <= 19
        }

        private mutating func readExponent(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
            var cursor = start
            let isNegative = cursor.pointee == 0x2D
            if isNegative || cursor.pointee == 0x2B { cursor += 1 }
            var value = 0
            while cursor < end {
                if value > 100_000 { return isExact = digits == 0 }
                value = value &* 10 &+ Int(cursor.pointee &- 0x30)
                cursor += 1
            }
            exponent += isNegative ? -value : value
        }

        /// The number as a significand times a power of two; nil for 0 and for exponents beyond 27.
        ///
        /// The lowest bit of the significand is sticky: it is set if any lower bit is. All arithmetic is on integers,
        /// so that the caller rounds only once.
        var binary: (significand: UInt64, exponent: Int)? {
            guard exponent.magnitude <= 27, digits != 0 else { return nil }
            let power = JsonNumber.powersOfFive[Int(exponent.magnitude)]
            let zeros = digits.leadingZeroBitCount
            let top = digits << UInt64(zeros)
            if exponent >= 0 {
                let (high, low) = top.multipliedFullWidth(by: power)
                // Normalizes the product of 128 bits: its highest set bit becomes the significand's top bit.
                let shift = high == 0 ? 64 : high.leadingZeroBitCount
                let significand =
                    shift == 0 ? high : shift == 64 ? low : high << UInt64(shift) | low >> UInt64(64 - shift)
                let rest = shift == 64 ? 0 : low << UInt64(shift)
                return (significand | (rest == 0 ? 0 : 1), 64 - shift - zeros + exponent)
            }
            let shift = power.leadingZeroBitCount
            let divisor = power << UInt64(shift)
            let (quotient, rest) = divisor.dividingFullWidth((top >> 1, top << 63))
            // The quotient has 63 or 64 bits, more than either type's significand and its rounding bit.
            return (quotient | (rest == 0 ? 0 : 1), shift - 63 - zeros + exponent)
        }
    }
}
