/// Memory for as many elements as a text from outside has: a long array of short elements may be meant for large models
/// and fail at the first of them. More than 1 MiB is only reserved as elements are made.
enum BoundedReservation {
    private static let bytes = 1 << 20

    /// How many elements of this type to reserve memory for; of `count` elements at least one.
    @inline(__always)
    static func count<Element>(_ count: Int, of type: Element.Type) -> Int {
        min(count, 1 + bytes / MemoryLayout<Element>.stride)
    }
}

extension Array {
    /// An array of as many elements as a text from outside has, which are made in order.
    @inline(__always)
    init(outsideCount count: Int, _ make: (_ index: Int) throws -> Element) rethrows {
        // The empty array is one object for the whole process, which must not be written to.
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
