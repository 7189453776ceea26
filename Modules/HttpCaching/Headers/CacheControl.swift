import HttpMessages

/// The directives of the `Cache-Control` fields of a request or a response (RFC 9111 §5.2).
///
/// Parsing accepts any input. Of a duplicated directive with a value the first one counts (§4.2.1). A number that isn't
/// one is ``Seconds/invalid``, which callers take for the most restrictive value. Unknown directives are ignored
/// (§5.2.3).
struct CacheControl: Equatable, Sendable {
    /// The value of a directive in seconds.
    enum Seconds: Equatable, Sendable {
        case absent
        case invalid
        case seconds(Double)

        /// The value; nil where it is absent, 0 where it is invalid.
        var value: Double? {
            switch self {
            case .absent: nil
            case .invalid: 0
            case .seconds(let seconds): seconds
            }
        }
    }

    /// A directive that may be restricted to header fields, which it lists.
    enum Scope: Equatable, Sendable {
        case absent
        /// The directive is for these fields only; the names are in lower case.
        case fields(Set<String>)
        case whole

        var isWhole: Bool { self == .whole }

        var fields: Set<String> {
            if case .fields(let names) = self { names } else { [] }
        }

        /// The more restrictive of both counts.
        fileprivate mutating func add(_ names: [String]?) {
            guard let names, !isWhole else { return self = .whole }
            var all = fields
            // A second reference to the set would copy it for each directive.
            self = .absent
            all.formUnion(names)
            self = .fields(all)
        }
    }

    private(set) var maxAge = Seconds.absent
    private(set) var staleWhileRevalidate = Seconds.absent
    private(set) var staleIfError = Seconds.absent
    private(set) var minFresh = Seconds.absent
    /// `max-stale` without a value is any time.
    private(set) var maxStale = Seconds.absent
    private(set) var noCache = Scope.absent
    private(set) var isPrivate = Scope.absent
    private(set) var noStore = false
    /// Whether a quoted value has no end, so that directives may be missing. Then ``noStore`` holds even with
    /// `must-understand`.
    private(set) var isCut = false
    private(set) var isPublic = false
    private(set) var mustRevalidate = false
    private(set) var mustUnderstand = false
    private(set) var isImmutable = false
    private(set) var onlyIfCached = false
    /// Whether there is any directive.
    private(set) var isEmpty = true

    /// Whether a response may be served to others than the user whose credentials its request had (§3.5).
    var isForEveryone: Bool { isPublic && !isPrivate.isWhole }

    init() {}

    init(_ headers: HttpHeaders) {
        headers.forEachField { name, value in
            if name.isHeader("cache-control") { add(value) }
        }
    }

    /// Adds the directives of one field value.
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Adds the directives of the bytes of one field value.
    mutating func add(_ value: UnsafeRawBufferPointer) {
        var parser = DirectiveParser(value)
        while let directive = parser.next() { add(directive) }
    }

    private mutating func add(_ directive: DirectiveParser.Directive) {
        isEmpty = false
        // It may have swallowed any directive.
        if directive.isCut { (isCut, noStore) = (true, true) }
        switch directive.name.count {
        case 6 where directive.name.isHeader("public"): isPublic = true
        case 7 where directive.name.isHeader("max-age"): set(&maxAge, directive)
        case 7 where directive.name.isHeader("private"): isPrivate.add(directive.fieldNames)
        case 8 where directive.name.isHeader("no-cache"): noCache.add(directive.fieldNames)
        case 8 where directive.name.isHeader("no-store"): noStore = true
        case 9 where directive.name.isHeader("min-fresh"): set(&minFresh, directive)
        case 9 where directive.name.isHeader("immutable"): isImmutable = true
        case 9 where directive.name.isHeader("max-stale"):
            if directive.value != nil {
                set(&maxStale, directive)
            } else if maxStale == .absent {
                maxStale = .seconds(.infinity)
            }
        case 14 where directive.name.isHeader("stale-if-error"): set(&staleIfError, directive)
        case 14 where directive.name.isHeader("only-if-cached"): onlyIfCached = true
        case 15 where directive.name.isHeader("must-revalidate"): mustRevalidate = true
        case 15 where directive.name.isHeader("must-understand"): mustUnderstand = true
        case 22 where directive.name.isHeader("stale-while-revalidate"): set(&staleWhileRevalidate, directive)
        default: break
        }
    }

    private func set(_ seconds: inout Seconds, _ directive: DirectiveParser.Directive) {
        guard seconds == .absent else { return }
        seconds = directive.seconds.map { .seconds($0) } ?? .invalid
    }
}

/// Numbers without a sign: of seconds (RFC 9111 §1.2.2), and of bytes.
enum DecimalNumber {
    /// The greatest number that is represented. A greater one is this one.
    static let greatest = 2_147_483_648.0

    /// The number; nil unless the text has digits only.
    static func parse(_ text: some Collection<UInt8>) -> Double? {
        guard !text.isEmpty else { return nil }
        var number = 0.0
        for byte in text {
            guard case 0x30...0x39 = byte else { return nil }
            number = min(number * 10 + Double(byte - 0x30), greatest)
        }
        return number
    }

    /// A number of bytes; nil unless the text has 1 to 18 digits only.
    static func length(_ text: some Collection<UInt8>) -> Int64? {
        guard (1...18).contains(text.count) else { return nil }
        var number: Int64 = 0
        for byte in text {
            guard case 0x30...0x39 = byte else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }
}

/// Splits a value into directives, `token [ "=" ( token / quoted-string ) ]`, separated by commas.
///
/// By bytes: with texts, parsing took more instructions than the rest of a miss that isn't stored.
struct DirectiveParser {
    enum Value {
        case token(UnsafeRawBufferPointer)
        /// Without the quotes.
        case quoted([UInt8])
    }

    struct Directive {
        let name: UnsafeRawBufferPointer
        /// nil without `=`.
        let value: Value?
        /// Whether a quoted value has no end, or white space precedes `=`, which isn't allowed. It is read in the most
        /// restrictive way.
        let isMalformed: Bool
        /// Whether a quoted value has no end, so that it contains all that follows.
        var isCut = false

        /// The number of seconds; nil where it is none.
        var seconds: Double? {
            guard let value, !isMalformed else { return nil }
            return switch value {
            case .token(let bytes): DecimalNumber.parse(bytes)
            case .quoted(let bytes): DecimalNumber.parse(bytes)
            }
        }

        /// The header fields that the directive lists, in lower case; nil where it is for the whole message, also where its
        /// list can't be read.
        var fieldNames: [String]? {
            guard let value, !isMalformed else { return nil }
            let text =
                switch value {
                case .token(let bytes): String(decoding: bytes, as: UTF8.self)
                case .quoted(let bytes): String(decoding: bytes, as: UTF8.self)
                }
            let names = text.split(separator: ",").map { $0.trimmed.lowercased() }.filter { !$0.isEmpty }
            return names.isEmpty ? nil : names
        }
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The next directive; nil after the last one.
    mutating func next() -> Directive? {
        while let byte, byte == 0x2C || Self.isSpace(byte) { position += 1 }
        guard position < bytes.count else { return nil }
        let start = position
        while let byte, byte != 0x2C, byte != 0x3D { position += 1 }
        let (name, length) = (trimmed(start..<position), position - start)
        guard byte == 0x3D else { return Directive(name: name, value: nil, isMalformed: false) }
        position += 1
        let isMalformed = name.count != length
        if byte == 0x22 { return quoted(name, isMalformed: isMalformed) }
        let first = position
        skipToComma()
        var end = position
        while end > first, Self.isSpace(bytes[end - 1]) { end -= 1 }
        return Directive(name: name, value: .token(part(first..<end)), isMalformed: isMalformed)
    }

    private mutating func quoted(_ name: UnsafeRawBufferPointer, isMalformed: Bool) -> Directive {
        position += 1
        var value: [UInt8] = []
        var isCut = true
        while let byte {
            position += 1
            if byte == 0x22 {
                isCut = false
                break
            }
            if byte == 0x5C, let escaped = self.byte {
                position += 1
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        // What follows the quotes up to the next comma belongs to no directive.
        skipToComma()
        return Directive(name: name, value: .quoted(value), isMalformed: isMalformed || isCut, isCut: isCut)
    }

    private mutating func skipToComma() {
        while let byte, byte != 0x2C { position += 1 }
    }

    private func trimmed(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, Self.isSpace(bytes[start]) { start += 1 }
        while start < end, Self.isSpace(bytes[end - 1]) { end -= 1 }
        return part(start..<end)
    }

    private func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
