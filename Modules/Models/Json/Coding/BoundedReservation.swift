/// Bounds the memory that is reserved for the elements of an untrusted text.
///
/// At most 1 MiB and one element are reserved up front; more is allocated as elements are decoded. A long array of
/// short elements may decode to large models, and fail at the first one.
enum BoundedReservation {
    private static let bytes = 1 << 20

    /// The number of elements of this type to reserve memory for: at most `count`, and at least one unless `count` is
    /// 0.
    @inline(__always)
    static func count<Element>(_ count: Int, of type: Element.Type) -> Int {
        min(count, 1 + bytes / MemoryLayout<Element>.stride)
    }
}

extension Array {
    /// Creates an array of `count` elements, in order, where `count` comes from an untrusted text.
    @inline(__always)
    init(outsideCount count: Int, _ make: (_ index: Int) throws -> Element) rethrows {
        // All empty arrays share one static buffer, which must not be written to.
        if count == 0 {
            self.init()
        } else if count == BoundedReservation.count(count, of: Element.self) {
            try self.init(unsafeUninitializedCapacity: count) { buffer, made in
                guard let start = buffer.baseAddress else { return }
                while made < count {
                    (start + made).initialize(to: try make(made))
                    made += 1
                }
            }
        } else {
            self.init()
            for index in 0..<count { append(try make(index)) }
        }
    }
}
