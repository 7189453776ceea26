/// Bytes of which no two stretches look alike for long: what is lost, doubled or swapped changes them. Blocks are copied,
/// because a sanitizer's build takes many seconds to make millions of them one by one.
package func pattern(_ count: Int) -> [UInt8] {
    let block = (0..<min(count, 65_537)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes.append(contentsOf: block.prefix(count - bytes.count)) }
    return bytes
}
