/// One word of a tape: the kind and position of a JSON value.
///
/// It has four bits for the kind, thirty for `high` and thirty for `low`:
///
/// - Number or string: `low` is the offset of the first byte, `high` the length in bytes (a string without its quotes).
/// - Array or object: `low` is the tape index past its end, so that a value is skipped in one step. `high` is the
///   number of elements or members. An object's words alternate: key, value, key, value.
struct JsonWord: Equatable, Sendable {
    var bits: UInt64

    static let fieldMask: UInt64 = (1 << 30) - 1

    @inline(__always)
    init(bits: UInt64) {
        self.bits = bits
    }

    @inline(__always)
    init(_ kind: UInt64, high: Int, low: Int) {
        bits = kind | UInt64(truncatingIfNeeded: high) << 30 | UInt64(truncatingIfNeeded: low)
    }

    static let null: UInt64 = 0 << 60
    static let `false`: UInt64 = 1 << 60
    static let `true`: UInt64 = 2 << 60
    /// A number without fraction and exponent.
    static let integer: UInt64 = 3 << 60
    /// A number with a fraction or an exponent.
    static let real: UInt64 = 4 << 60
    /// A string whose bytes are its text.
    static let string: UInt64 = 5 << 60
    /// A string with at least one escape sequence.
    static let escaped: UInt64 = 6 << 60
    static let array: UInt64 = 7 << 60
    static let object: UInt64 = 8 << 60

    @inline(__always) var kind: UInt64 { bits & (15 << 60) }
    @inline(__always) var low: Int { Int(truncatingIfNeeded: bits & Self.fieldMask) }
    @inline(__always) var high: Int { Int(truncatingIfNeeded: bits >> 30 & Self.fieldMask) }
    @inline(__always) var isNumber: Bool { kind == Self.integer || kind == Self.real }
    @inline(__always) var isString: Bool { kind == Self.string || kind == Self.escaped }
    @inline(__always) var isContainer: Bool { bits >= Self.array }
}
