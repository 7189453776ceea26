import Synchronization

/// The names of entries' files: `entries/<part>/<session>-<hash of the URL>-<variant>`.
///
/// A name is derived from the key, so that an entry is found without a list of the folder, and so are those that another
/// process has stored. The entries of a session, and those of a URL, are found without reading any file.
enum EntryName {
    /// The folder of all entries. Renaming it removes them at once.
    static let entries = "entries"
    /// The folders in it. A URL's entries are in one of them, so that finding those of all sessions lists few names.
    static let parts = (0..<64).map { entries + "/" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    /// The highest number of responses for one key, which differ in what `Vary` nominates. One more replaces the least
    /// recently used one.
    static let variants = 8
    /// The longest name of a session in bytes. That of a longer one isn't stored.
    private static let longestSession = 100
    /// The number of bytes after the session: two hyphens, the hash and the variant.
    private static let suffix = 1 + 32 + 1 + 1

    /// The names of all variants of a key; none for a session whose name can't be a part of a file's name.
    ///
    /// Without the first one there are no others: the store gives the first name to another one when that is removed. So
    /// a lookup that finds nothing asks for one name.
    static func all(of key: HttpCacheKey) -> [String] {
        first(of: key, UrlHash(key.url)).map { others(than: $0, from: 0) } ?? []
    }

    /// The first name of a key; nil for a session whose name can't be a part of a file's name.
    static func first(of key: HttpCacheKey, _ hash: UrlHash) -> String? {
        isStorable(key.session) ? "\(hash.part)/\(key.session.rawValue)-\(hash.digits)-0" : nil
    }

    /// The names of the other variants.
    static func others(than first: String, from start: Int = 1) -> [String] {
        let stem = first.dropLast()
        return (start..<variants).map { stem + String($0) }
    }

    /// Whether it is the first name of a key.
    static func isFirst(_ name: String) -> Bool { name.utf8.last == UInt8(ascii: "0") }

    /// What the name of a URL's entries has of the URL.
    struct UrlHash {
        /// 32 hexadecimal digits.
        let digits: String
        /// The folder.
        let part: String

        init(_ url: String) {
            var url = url
            let (first, second) = url.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                return (Checksum.of(bytes, seed: 1), Checksum.of(bytes, seed: 2))
            }
            digits = hex(first) + hex(second)
            part = parts[Int(first % UInt64(parts.count))]
        }
    }

    /// Whether it is the name of an entry of this URL, without its folders.
    static func isEntry(_ name: UnsafeRawBufferPointer, of hash: UrlHash) -> Bool {
        session(ofEntry: name) != nil && name.dropLast(2).suffix(32).elementsEqual(hash.digits.utf8)
    }

    static func isStorable(_ session: HttpCacheSession) -> Bool {
        session.rawValue.utf8.count <= longestSession && session.rawValue.utf8.allSatisfy(\.isLetterOrDigit)
    }

    /// The session of the file with this name, without its folders; nil for a name of no entry.
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

    /// A name for a file that is being written, which becomes an entry of this key.
    static func temporary(for key: HttpCacheKey) -> String {
        "\(UrlHash(key.url).part)/\(key.session.rawValue)\(unique(temporarySuffix))"
    }

    /// A name for a file that is being written beside the folder of the entries.
    static func temporary() -> String { unique(temporarySuffix) }

    private static func unique(_ name: String) -> String { name + hex(UniqueNumber.next()) }

    /// The session of the file with this name, without its folders, that is, or was, being written; nil for another name.
    static func session(ofTemporary name: UnsafeRawBufferPointer) -> HttpCacheSession? {
        let suffix = temporarySuffix.utf8.count + 16
        guard name.count >= suffix, name.count <= longestSession + suffix else { return nil }
        let (session, end) = (name.dropLast(suffix), name.suffix(suffix))
        guard end.starts(with: temporarySuffix.utf8), end.suffix(16).allSatisfy(\.isHexDigit) else { return nil }
        return named(session)
    }

    // MARK: Removed entries

    private static let removedPrefix = "removed-"

    /// A name for the folder of entries that are removed.
    static func removed() -> String { unique(removedPrefix) }

    /// Whether a folder with this name has removed entries.
    static func isRemoved(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count == removedPrefix.utf8.count + 16 && name.starts(with: removedPrefix.utf8)
            && name.suffix(16).allSatisfy(\.isHexDigit)
    }

    fileprivate static func hex(_ number: UInt64) -> String {
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

/// Numbers that no other process has, as long as their number is small: a random start, and SplitMix64. Each random
/// number of the system is a system call.
enum UniqueNumber {
    private static let state = Atomic<UInt64>(.random(in: 0 ... .max))

    static func next() -> UInt64 {
        var number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }
}
