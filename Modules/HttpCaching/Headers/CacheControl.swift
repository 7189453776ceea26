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
            switch (self, names) {
            case (.whole, _), (_, nil): self = .whole
            case (.fields(let old), let new?): self = .fields(old.union(new))
            case (.absent, let new?): self = .fields(Set(new))
            }
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
        for field in headers.fields where field.name.equalsIgnoringCase("Cache-Control") {
            add(field.value)
        }
    }

    /// Adds the directives of one field value.
    mutating func add(_ text: String) {
        var parser = DirectiveParser(text)
        while let directive = parser.next() { add(directive) }
    }

    private mutating func add(_ directive: DirectiveParser.Directive) {
        isEmpty = false
        // By the length first: comparing texts takes longer than the rest of parsing.
        switch directive.name.count {
        case 6 where directive.isNamed("public"): isPublic = true
        case 7 where directive.isNamed("max-age"): set(&maxAge, directive)
        case 7 where directive.isNamed("private"): isPrivate.add(directive.fieldNames)
        case 8 where directive.isNamed("no-cache"): noCache.add(directive.fieldNames)
        case 8 where directive.isNamed("no-store"): noStore = true
        case 9 where directive.isNamed("min-fresh"): set(&minFresh, directive)
        case 9 where directive.isNamed("immutable"): isImmutable = true
        case 9 where directive.isNamed("max-stale"):
            if directive.value != nil {
                set(&maxStale, directive)
            } else if maxStale == .absent {
                maxStale = .seconds(.infinity)
            }
        case 14 where directive.isNamed("stale-if-error"): set(&staleIfError, directive)
        case 14 where directive.isNamed("only-if-cached"): onlyIfCached = true
        case 15 where directive.isNamed("must-revalidate"): mustRevalidate = true
        case 15 where directive.isNamed("must-understand"): mustUnderstand = true
        case 22 where directive.isNamed("stale-while-revalidate"): set(&staleWhileRevalidate, directive)
        default: break
        }
    }

    private func set(_ seconds: inout Seconds, _ directive: DirectiveParser.Directive) {
        guard seconds == .absent else { return }
        let number = directive.isMalformed ? nil : directive.value.flatMap { DecimalNumber.parse($0.utf8) }
        seconds = number.map { .seconds($0) } ?? .invalid
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
    static func length(_ text: String) -> Int64? {
        guard (1...18).contains(text.utf8.count) else { return nil }
        var number: Int64 = 0
        for byte in text.utf8 {
            guard case 0x30...0x39 = byte else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }
}

/// Splits a value into directives, `token [ "=" ( token / quoted-string ) ]`, separated by commas.
struct DirectiveParser {
    struct Directive {
        let name: Substring.UTF8View
        /// Without quotes; nil without `=`.
        let value: Substring?
        /// Whether a quoted value has no end, or white space precedes `=`, which isn't allowed. It is read in the most
        /// restrictive way.
        let isMalformed: Bool

        /// Whether it has this name, which is in lower case and as long. Letters are case-insensitive.
        func isNamed(_ other: StaticString) -> Bool {
            var offset = 0
            for byte: UInt8 in name {
                let isUpper = byte >= 0x41 && byte <= 0x5A
                if (isUpper ? byte | 0x20 : byte) != other.utf8Start[offset] { return false }
                offset += 1
            }
            return true
        }

        /// The header fields that the directive lists, in lower case; nil where it is for the whole message, also where its
        /// list can't be read.
        var fieldNames: [String]? {
            guard let value, !isMalformed else { return nil }
            let names = value.split(separator: ",").map { $0.trimmed.lowercased() }.filter { !$0.isEmpty }
            return names.isEmpty ? nil : names
        }
    }

    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    /// The next directive; nil after the last one.
    mutating func next() -> Directive? {
        rest = rest.drop { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
        guard !rest.isEmpty else { return nil }
        let name = rest.prefix { $0 != 0x2C && $0 != 0x3D }
        rest = rest[name.endIndex...]
        guard rest.first == 0x3D else {
            return Directive(name: Substring(name).trimmed.utf8, value: nil, isMalformed: false)
        }
        rest.removeFirst()
        let text = Substring(name).trimmed.utf8
        let isMalformed = text.count != name.count
        if rest.first == 0x22 { return quoted(text, isMalformed: isMalformed) }
        let value = rest.prefix { $0 != 0x2C }
        rest = rest[value.endIndex...]
        var end = value
        while end.last == 0x20 || end.last == 0x09 { end.removeLast() }
        return Directive(name: text, value: Substring(end), isMalformed: isMalformed)
    }

    private mutating func quoted(_ name: Substring.UTF8View, isMalformed: Bool) -> Directive {
        rest.removeFirst()
        var value: [UInt8] = []
        var isCut = true
        while let byte = rest.popFirst() {
            if byte == 0x22 {
                isCut = false
                break
            }
            if byte == 0x5C, let escaped = rest.popFirst() { value.append(escaped) } else { value.append(byte) }
        }
        // What follows the quotes up to the next comma belongs to no directive.
        rest = rest.drop { $0 != 0x2C }
        return Directive(
            name: name, value: Substring(decoding: value, as: UTF8.self), isMalformed: isMalformed || isCut)
    }
}
