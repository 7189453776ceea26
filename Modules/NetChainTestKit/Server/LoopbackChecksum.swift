/// The 64-bit FNV-1a checksum of a stream of bytes: what the server keeps of a body that it discards.
///
///     var checksum = LoopbackChecksum()
///     checksum.update(with: bytes)
///     #expect(request.bodyChecksum == checksum.value)
public struct LoopbackChecksum: Sendable, Hashable {
    /// The checksum of all bytes so far.
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The checksum of no bytes.
    public init() {}

    /// Takes the next bytes into account.
    public mutating func update(with bytes: some Sequence<UInt8>) {
        var value = value
        for byte in bytes {
            value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        self.value = value
    }
}
