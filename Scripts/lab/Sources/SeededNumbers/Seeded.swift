/// Numbers that are the same for the same seed (SplitMix64).
package struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    /// The numbers of one request: whatever the threads do, its choices depend on the seed and its number alone.
    package init(_ seed: UInt64, request: Int) {
        var mixed = Seeded(seed &+ UInt64(request) &* 0xD134_2543_DE82_EF95)
        state = mixed.next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
