/// The name of an entry's file: `<session>-<hash of the URL>-<variant>`.
///
/// It is derived from the key, so that an entry is found without a list of the folder, and so are those that another
/// process has stored. A session's entries are found without reading any file.
enum EntryName {
    /// The highest number of responses for one key, which differ in what `Vary` nominates. One more replaces the least
    /// recently used one.
    static let variants = 8
    /// The longest name of a session in bytes. That of a longer one isn't stored.
    private static let longestSession = 100
    /// The number of bytes after the session: two hyphens, the hash and the variant.
    private static let suffix = 1 + 32 + 1 + 1

    /// The names of all variants of a key; none for a session whose name can't be a part of a file's name.
    static func all(of key: HttpCacheKey) -> [String] {
        guard isStorable(key.session) else { return [] }
        let stem = "\(key.session.rawValue)-\(hex(hash(key.url, seed: 1)))\(hex(hash(key.url, seed: 2)))-"
        return (0..<variants).map { stem + String($0) }
    }

    static func isStorable(_ session: HttpCacheSession) -> Bool {
        session.rawValue.utf8.count <= longestSession && session.rawValue.utf8.allSatisfy(\.isLetterOrDigit)
    }

    /// The session of the file with this name; nil for a name of no entry.
    static func session(ofEntry name: UnsafeRawBufferPointer) -> HttpCacheSession? {
        guard name.count >= suffix, name.count <= longestSession + suffix else { return nil }
        let (session, end) = (name.dropLast(suffix), name.suffix(suffix))
        let isEntry = zip(0..., end).allSatisfy { index, byte in
            switch index {
            case 0, 33: byte == UInt8(ascii: "-")
            case 34: byte >= UInt8(ascii: "0") && byte < UInt8(ascii: "0") + UInt8(variants)
            default: byte.isHexDigit
            }
        }
        return isEntry ? named(session) : nil
    }

    private static func named(_ session: Slice<UnsafeRawBufferPointer>) -> HttpCacheSession? {
        guard session.allSatisfy(\.isLetterOrDigit) else { return nil }
        return HttpCacheSession(rawValue: String(decoding: session, as: UTF8.self))
    }

    // MARK: Files in progress

    private static let temporarySuffix = ".new-"

    /// A name for a file that is being written, which becomes an entry of this session.
    static func temporary(for session: HttpCacheSession) -> String {
        "\(session.rawValue)\(temporarySuffix)\(hex(.random(in: 0 ... .max)))"
    }

    /// The session of the file with this name that is, or was, being written; nil for another name.
    static func session(ofTemporary name: UnsafeRawBufferPointer) -> HttpCacheSession? {
        let suffix = temporarySuffix.utf8.count + 16
        guard name.count >= suffix, name.count <= longestSession + suffix else { return nil }
        let (session, end) = (name.dropLast(suffix), name.suffix(suffix))
        guard end.starts(with: temporarySuffix.utf8), end.suffix(16).allSatisfy(\.isHexDigit) else { return nil }
        return named(session)
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

    fileprivate var isLetterOrDigit: Bool {
        isHexDigit || self >= UInt8(ascii: "g") && self <= UInt8(ascii: "z")
            || self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z")
    }
}
