#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UUID {
    /// Reads `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, in upper or lower case. Any other text is left to Foundation, which
    /// takes 15 times as long.
    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        read(text) ?? UUID(uuidString: String(decoding: text, as: UTF8.self))
    }

    /// The length of the text in bytes.
    static let textLength = 36

    /// Writes the text in upper case, as `uuidString` has it, which takes 8 times as long on Linux.
    func write(to text: UnsafeMutablePointer<UInt8>) {
        var output = text
        func put(_ nibble: UInt8) {
            output.pointee = nibble < 10 ? 0x30 + nibble : 0x37 + nibble
            output += 1
        }
        withUnsafeBytes(of: uuid) { bytes in
            for index in 0..<16 {
                if Self.followsHyphen(index) {
                    output.pointee = 0x2D
                    output += 1
                }
                put(bytes[index] >> 4)
                put(bytes[index] & 15)
            }
        }
    }

    private static func followsHyphen(_ byte: Int) -> Bool { byte == 4 || byte == 6 || byte == 8 || byte == 10 }

    private static func read(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == textLength, text[8] == 0x2D, text[13] == 0x2D, text[18] == 0x2D, text[23] == 0x2D else {
            return nil
        }
        var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isHexadecimal = withUnsafeMutableBytes(of: &id) { bytes in
            var place = 0
            var wrong: UInt8 = 0
            for index in 0..<16 {
                if followsHyphen(index) { place += 1 }
                let high = nibble(text[place])
                let low = nibble(text[place + 1])
                wrong |= high | low
                bytes[index] = high << 4 | low
                place += 2
            }
            return wrong < 16
        }
        return isHexadecimal ? UUID(uuid: id) : nil
    }

    /// The value of a hexadecimal digit; 255 for any other character.
    @inline(__always)
    private static func nibble(_ character: UInt8) -> UInt8 {
        let digit = character &- 0x30
        if digit < 10 { return digit }
        let letter = (character | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : 255
    }
}
