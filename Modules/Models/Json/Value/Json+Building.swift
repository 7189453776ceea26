#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Json {
    /// A string.
    public init(_ value: String) { self.init(.string(value)) }

    /// `true` or `false`.
    public init(_ value: Bool) { self.init(.bool(value)) }

    /// An integer of any width, kept exactly.
    public init(_ value: some BinaryInteger) {
        if let small = Int64(exactly: value) {
            self.init(.integer(small))
        } else if let large = UInt64(exactly: value) {
            self.init(.unsigned(large))
        } else {
            self.init(.number(value.description))
        }
    }

    /// A number; `null` for infinities and NaN, which JSON can't represent.
    public init(_ value: Double) { self.init(value.isFinite ? .double(value) : .null) }

    /// A number, kept exactly; `null` for NaN.
    public init(_ value: Decimal) { self.init(value.isNaN ? .null : .number(value.description)) }

    /// An array.
    public init(_ elements: [Json]) { self.init(.array(elements)) }

    /// An object. Its members are in the order of their keys, because a dictionary has no order.
    public init(_ members: [String: Json]) {
        self.init(.object(JsonObject(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })))
    }
}
