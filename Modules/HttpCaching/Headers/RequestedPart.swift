import HttpMessages

/// The part of a body that a `Range` with one range asks for (RFC 9110 §14.1.2).
enum RequestedPart: Equatable, Sendable {
    /// From a position on, through another one where it is limited.
    case from(Int64, through: Int64?)
    /// The last bytes.
    case last(Int64)

    /// nil for another unit, several ranges, or a range that can't be read.
    init?(_ value: String) {
        let parts = value.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, String(parts[0].trimmed).equalsIgnoringCase("bytes") else { return nil }
        let positions = parts[1].trimmed.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard positions.count == 2 else { return nil }
        let (first, last) = (String(positions[0]), String(positions[1]))
        switch (DecimalNumber.length(first.utf8), DecimalNumber.length(last.utf8)) {
        case (let start?, let end?) where start <= end: self = .from(start, through: end)
        case (let start?, nil) where last.isEmpty: self = .from(start, through: nil)
        case (nil, let count?) where first.isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// The positions in a body of this length; nil where there is no such part.
    func positions(in length: Int64) -> Range<Int64>? {
        let (start, end) =
            switch self {
            case .from(let start, let last): (start, min(length, last.map { $0 + 1 } ?? length))
            case .last(let count): (max(0, length - count), length)
            }
        return start < end ? start..<end : nil
    }
}
