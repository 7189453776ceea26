/// The name of an entry's file: `<session>-<url>-<variant>`, in hexadecimal digits.
///
/// It is derived from the key, so that an entry is found without a list of the folder, and so are those that another
/// process has stored. The entries of a session are found without reading any file.
enum EntryName {
    /// The highest number of responses for one key, which differ in what `Vary` nominates. One more replaces the least
    /// recently used one.
    static let variants = 8
    private static let length = 16 + 1 + 32 + 1 + 1

    /// The names of all variants of a key.
    static func all(of key: HttpCacheKey) -> [String] {
        let stem = "\(tag(of: key.session))-\(hex(hash(key.url, seed: 1)))\(hex(hash(key.url, seed: 2)))-"
        return (0..<variants).map { stem + String($0) }
    }

    /// How the names of a session's entries begin.
    static func tag(of session: HttpCacheSession) -> String { hex(hash(session.rawValue, seed: 0)) }

    /// Whether a file of this name is an entry.
    static func isEntry(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count == length, name[16] == UInt8(ascii: "-"), name[49] == UInt8(ascii: "-") else { return false }
        return name.enumerated().allSatisfy { index, byte in
            switch index {
            case 16, 49: true
            case 50: byte >= UInt8(ascii: "0") && byte < UInt8(ascii: "0") + UInt8(variants)
            default: byte.isHexDigit
            }
        }
    }

    // MARK: Files in progress

    /// A name for a file that is being written, which becomes an entry of this session.
    static func temporary(for session: HttpCacheSession) -> String {
        "\(tag(of: session))\(temporarySuffix)\(hex(.random(in: 0 ... .max)))"
    }

    private static let temporarySuffix = ".new-"

    /// Whether a file of this name is, or was, being written.
    static func isTemporary(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count == 16 + temporarySuffix.utf8.count + 16 && name.prefix(16).allSatisfy(\.isHexDigit)
            && name.dropFirst(16).starts(with: temporarySuffix.utf8)
    }

    private static func hash(_ text: String, seed: UInt64) -> UInt64 {
        var text = text
        return text.withUTF8 { Checksum.of(UnsafeRawBufferPointer($0), seed: seed) }
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension UInt8 {
    /// Whether it is a hexadecimal digit in lower case.
    fileprivate var isHexDigit: Bool {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") || self >= UInt8(ascii: "a") && self <= UInt8(ascii: "f")
    }
}
