/// The layout of an entry's file. All numbers are little-endian.
///
/// | bytes | content |
/// |---|---|
/// | 40 | prologue: format, capacity of a head, size of the body, salt, checksum |
/// | 2 × (16 + capacity) | two heads: sequence number, length, checksum, ``EntryHead`` |
/// | size of the body | the body |
/// | 8 for each block | the checksums of the body's blocks of 64 KiB |
///
/// - The valid head with the higher sequence number counts. An update overwrites the other one, so that a crash leaves
///   the previous head, and a large body isn't copied.
/// - The salt is unique and part of each checksum's seed: a part of another entry doesn't pass.
struct EntryLayout: Equatable, Sendable {
    /// `NetCach1`. Another version of the format gets another number, and doesn't read entries of this one.
    private static let format: UInt64 = 0x3168_6361_4374_654E
    static let prologueSize = 40
    private static let headPrefix = 16
    /// The size of a block in bytes, except the last one: what is read to verify a part of the body.
    static let blockSize = 64 << 10
    /// The highest capacity of a head in bytes. An entry with more headers isn't stored.
    static let highestCapacity = 1 << 20

    /// The capacity of each head in bytes.
    let capacity: Int
    /// The size of the body in bytes.
    var bodySize: Int64
    let salt: UInt64

    init(capacity: Int, bodySize: Int64 = 0, salt: UInt64 = UniqueNumber.next()) {
        self.capacity = capacity
        self.bodySize = bodySize
        self.salt = salt
    }

    /// The capacity for a head: updates by a 304 seldom add more than 256 bytes. Nil for a head that is too large.
    static func capacity(for head: [UInt8]) -> Int? {
        let capacity = (head.count + 256 + 127) & ~127
        return capacity <= highestCapacity ? capacity : nil
    }

    // MARK: Positions

    /// The position of the first (0) or second head (1).
    func position(ofHead index: Int) -> Int { Self.prologueSize + index * (Self.headPrefix + capacity) }
    /// The size of a head with its prefix in bytes.
    var headSize: Int { Self.headPrefix + capacity }
    var bodyPosition: Int { position(ofHead: 2) }
    /// The length may be any that a server announces, and Int may have 32 bits.
    private var blockCount: Int64 { (bodySize + Int64(Self.blockSize) - 1) / Int64(Self.blockSize) }
    var checksumsPosition: Int64 { Int64(bodyPosition) + bodySize }
    var fileSize: Int64 { checksumsPosition + 8 * blockCount }

    // MARK: Prologue

    var prologue: [UInt8] {
        var bytes = ByteWriter()
        bytes.append(Self.format)
        bytes.append(UInt64(capacity))
        bytes.append(UInt64(bodySize))
        bytes.append(salt)
        bytes.append(bytes.bytes.withUnsafeBytes { Checksum.of($0, seed: 0) })
        return bytes.bytes
    }

    /// Reads the prologue at the start of the bytes; nil for one that is damaged, or of another format.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let format = reader.integer(UInt64.self), format == Self.format,
            let capacity = reader.integer(UInt64.self), capacity <= UInt64(Self.highestCapacity),
            let bodySize = reader.integer(UInt64.self), bodySize <= 1 << 48,
            let salt = reader.integer(UInt64.self), let checksum = reader.integer(UInt64.self),
            checksum == Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<(Self.prologueSize - 8)]), seed: 0)
        else { return nil }
        self.init(capacity: Int(capacity), bodySize: Int64(bodySize), salt: salt)
    }

    // MARK: Heads

    /// A head with its prefix, filled up to its capacity.
    ///
    /// - Precondition: the head isn't larger than the capacity.
    func bytes(ofHead head: [UInt8], sequence: UInt32) -> [UInt8] {
        var bytes = ByteWriter()
        bytes.append(sequence)
        bytes.append(UInt32(head.count))
        bytes.append(head.withUnsafeBytes { checksum(ofHead: $0, sequence: sequence) })
        bytes.bytes += head
        bytes.bytes += [UInt8](repeating: 0, count: capacity - head.count)
        return bytes.bytes
    }

    /// Returns the valid head with the highest sequence number of a file that starts with these bytes, at least
    /// ``bodyPosition``; nil where none is valid.
    func head(in bytes: UnsafeRawBufferPointer) -> (index: Int, sequence: UInt32, head: UnsafeRawBufferPointer)? {
        let heads = [0, 1].compactMap { index in
            head(at: position(ofHead: index), of: bytes).map { (index: index, sequence: $0.sequence, head: $0.head) }
        }
        return heads.max { $0.sequence < $1.sequence }
    }

    private func head(
        at position: Int, of bytes: UnsafeRawBufferPointer
    ) -> (sequence: UInt32, head: UnsafeRawBufferPointer)? {
        guard bytes.count >= position + headSize else { return nil }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[position..<position + headSize]))
        guard let sequence = reader.integer(UInt32.self), sequence > 0,
            let length = reader.integer(UInt32.self), let sum = reader.integer(UInt64.self),
            let head = reader.bytes(Int(clamping: length)), sum == checksum(ofHead: head, sequence: sequence)
        else { return nil }
        return (sequence, head)
    }

    private func checksum(ofHead head: UnsafeRawBufferPointer, sequence: UInt32) -> UInt64 {
        Checksum.of(head, seed: salt ^ (UInt64(sequence) << 32 | UInt64(head.count)))
    }

    // MARK: Blocks

    /// The checksum of the block at this position among the body's blocks.
    func checksum(ofBlock index: Int, _ block: UnsafeRawBufferPointer) -> UInt64 {
        Checksum.of(block, seed: salt &+ UInt64(index))
    }

    /// The checksums of consecutive blocks. Only the body's last block may be shorter than ``blockSize``.
    func checksums(ofBlocksFrom first: Int, _ bytes: UnsafeRawBufferPointer) -> [UInt64] {
        stride(from: 0, to: bytes.count, by: Self.blockSize).enumerated().map { index, start in
            let block = bytes[start..<min(start + Self.blockSize, bytes.count)]
            return checksum(ofBlock: first + index, UnsafeRawBufferPointer(rebasing: block))
        }
    }
}
