/// The mathematical value of a JSON number: its digits without leading and trailing zeros, times a power of ten.
struct JsonNumber: Hashable, Sendable {
    private let isNegative: Bool
    private let digits: [UInt8]
    private let exponent: Int

    /// Reads a number in JSON's syntax.
    init(_ text: String) {
        var digits: [UInt8] = []
        var isNegative = false
        var exponent = 0
        var afterPoint = false
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case 0x2D: isNegative = true
            case 0x2E: afterPoint = true
            case 0x30...0x39:
                if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
                if afterPoint { exponent -= 1 }
            default:
                exponent = Self.sum(exponent, Self.exponent(&bytes))
            }
        }
        while digits.last == 0x30 {
            digits.removeLast()
            exponent = Self.sum(exponent, 1)
        }
        self.isNegative = isNegative && !digits.isEmpty
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
    }

    /// The exponent after the `e`, clamped to the range of `Int`.
    private static func exponent(_ bytes: inout String.UTF8View.Iterator) -> Int {
        var isNegative = false
        var value = 0
        while let byte = bytes.next() {
            if byte == 0x2D {
                isNegative = true
            } else if byte != 0x2B {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                value = overflow ? .max : sum(product, Int(byte) - 0x30)
            }
        }
        return isNegative ? -value : value
    }

    private static func sum(_ first: Int, _ second: Int) -> Int {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? (first < 0 ? .min : .max) : sum
    }

    /// The value of an integral number, `1.0` and `10e-1` among them, if the type can hold it.
    static func integer<Value: FixedWidthInteger>(_ text: String) -> Value? {
        if let value = Value(text) { return value }
        let number = JsonNumber(text)
        if number.digits.isEmpty { return 0 }
        // The largest integer type of the standard library has 39 digits.
        guard number.exponent >= 0, number.exponent < 40, number.digits.count <= 40 else { return nil }
        let sign = number.isNegative ? "-" : ""
        let zeros = String(repeating: "0", count: number.exponent)
        return Value(sign + String(decoding: number.digits, as: UTF8.self) + zeros)
    }

    /// The shortest text that reads back as the same value, `1` for 1.0 as Foundation writes it.
    static func text(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        var text = value.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        return text
    }
}
