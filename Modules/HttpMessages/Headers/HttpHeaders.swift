import NodeCore

/// Header fields in their order. Names are case-insensitive (RFC 9110 §5.1) and can occur several times.
///
/// ```swift
/// headers["Accept"] = "text/html"                    // replaces all fields of this name; nil removes them
/// headers.add(name: "Accept", value: "text/plain")   // adds one
/// headers["accept"]                                  // the first: "text/html"
/// headers.values(of: "Accept")                       // all: ["text/html", "text/plain"]
/// for (name, value) in headers { … }
/// ```
public struct HttpHeaders: Sendable {
    /// One header field.
    public struct Field: Equatable, Sendable {
        /// The name in its original case.
        public var name: String
        /// The value, without surrounding white space. A received value that is not UTF-8 is read as Latin-1.
        public var value: String {
            didSet { isLatin1 = false }
        }
        /// Whether the value was received in Latin-1. It is sent in the same way, unless it is changed.
        package private(set) var isLatin1 = false

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Creates a field with the bytes of a value.
        package init(name: String, valueBytes: some Collection<UInt8>) {
            self.name = name
            if valueBytes.allSatisfy({ $0 < 0x80 }) {
                // `String(validating:as:)` looks up generic metadata, and takes twice the instructions.
                value = String(decoding: valueBytes, as: UTF8.self)
            } else if let text = String(validating: valueBytes, as: UTF8.self) {
                value = text
            } else {
                value = String(String.UnicodeScalarView(valueBytes.map { Unicode.Scalar($0) }))
                isLatin1 = true
            }
        }

        /// The value as it is sent: in UTF-8, unless it was received in Latin-1.
        package var valueBytes: [UInt8] {
            isLatin1 ? value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(value.utf8)
        }

        /// A part of the value as a reference to a URL. Of a value in Latin-1 the bytes beyond ASCII are escaped, so that the
        /// server gets the same bytes.
        func reference(_ part: String) -> String {
            guard isLatin1 else { return part }
            return Percent.escapingBeyondAscii(part.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        }

        /// Whether name and value are the same, case-sensitive.
        public static func == (left: Field, right: Field) -> Bool {
            left.name == right.name && left.value == right.value
        }
    }

    /// The fields of a response stay bytes until they are accessed.
    private enum Storage: Sendable {
        /// - Parameter areValid: whether each field is known to be one that can be sent. A field is validated when it is
        ///   added; those of a response, when they are sent.
        case fields([Field], areValid: Bool)
        case block(HeaderBlock)
    }

    private var storage: Storage

    /// Creates empty headers.
    public init() {
        storage = .fields([], areValid: true)
    }

    /// Creates headers with these fields, in this order.
    public init(_ fields: [Field]) {
        storage = .fields(fields, areValid: fields.allSatisfy(\.isValid))
    }

    /// Creates headers with the fields of a dictionary, sorted by name.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) })
    }

    package init(block: HeaderBlock) {
        storage = .block(block)
    }

    /// Creates headers with fields of a response, which are validated if they are sent.
    package init(received fields: [Field]) {
        storage = .fields(fields, areValid: false)
    }

    /// All fields in their order.
    public var fields: [Field] {
        switch storage {
        case .fields(let fields, _): fields
        case .block(let block): block.fields
        }
    }

    /// Calls `body` with the bytes of the name and the value of each field, in their order. No text is created for those
    /// of a response. The pointers are valid in `body` only.
    package func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        switch storage {
        case .block(let block):
            block.forEachField { name, value in
                body(name, value)
                return true
            }
        case .fields(let fields, _):
            for field in fields {
                var (name, value) = (field.name, field.value)
                name.withUTF8 { name in
                    value.withUTF8 { body(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer($0)) }
                }
            }
        }
    }

    /// The fields that `isKept` selects by the bytes of their names, which are valid in it only. No text is created for
    /// those of a response.
    package func keeping(_ isKept: (UnsafeRawBufferPointer) -> Bool) -> HttpHeaders {
        switch storage {
        case .block(let block): return HttpHeaders(block: block.keeping(isKept))
        case .fields(let fields, let areValid):
            var kept = HttpHeaders()
            let rest = fields.filter { field in
                var name = field.name
                return name.withUTF8 { isKept(UnsafeRawBufferPointer($0)) }
            }
            kept.storage = .fields(rest, areValid: areValid)
            return kept
        }
    }

    /// Whether there are no fields. Doesn't parse them.
    public var isEmpty: Bool {
        switch storage {
        case .fields(let fields, _): fields.isEmpty
        case .block(let block): block.bytes.isEmpty
        }
    }

    /// The value of the first field with this name. Setting it replaces all fields with this name; nil removes them.
    public subscript(name: String) -> String? {
        get {
            switch storage {
            case .fields(let fields, _): fields.first { $0.name.equalsIgnoringCase(name) }?.value
            case .block(let block): block.firstValue(of: name)
            }
        }
        set {
            var fields = self.fields
            let index = fields.firstIndex { $0.name.equalsIgnoringCase(name) }
            fields.removeAll { $0.name.equalsIgnoringCase(name) }
            let field = newValue.map { Field(name: name, value: $0) }
            if let field { fields.insert(field, at: Swift.min(index ?? fields.count, fields.count)) }
            store(fields, adding: field)
        }
    }

    func first(_ name: String) -> Field? {
        fields.first { $0.name.equalsIgnoringCase(name) }
    }

    /// The `Location` as a reference to a URL.
    package var locationReference: String? { first("Location").map { $0.reference($0.value) } }

    /// The values of all fields with this name, in their order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// Appends a field. Fields with the same name stay.
    public mutating func add(name: String, value: String) {
        let field = Field(name: name, value: value)
        store(fields + [field], adding: field)
    }

    /// Appends a field that is known to be valid. Those of a response stay bytes.
    package mutating func addValid(name: String, value: String) {
        guard case .block(var block) = storage else { return add(name: name, value: value) }
        block.append(name: name, value: value)
        storage = .block(block)
    }

    package mutating func removeAll(where isRemoved: (Field) -> Bool) {
        let fields = fields
        let rest = fields.filter { !isRemoved($0) }
        if rest.count != fields.count { self = HttpHeaders(rest) }
    }

    /// - Parameter field: the only field that hasn't been validated.
    private mutating func store(_ fields: [Field], adding field: Field?) {
        storage = .fields(fields, areValid: areValid && field?.isValid ?? true)
    }

    /// Whether each field is known to be one that can be sent.
    private var areValid: Bool {
        if case .fields(_, let areValid) = storage { areValid } else { false }
    }

    /// The value of each name. Several fields of one name have one value, a list (RFC 9110 §5.3; RFC 6265 §5.4 for
    /// `Cookie`). Setting it keeps the fields whose value is the same.
    package var byName: [String: String] {
        get {
            var values: [String: String] = [:]
            for field in fields {
                let name = values.keys.first { $0.equalsIgnoringCase(field.name) } ?? field.name
                let separator = name.equalsIgnoringCase("Cookie") ? "; " : ", "
                values[name] = values[name].map { $0 + separator + field.value } ?? field.value
            }
            return values
        }
        set {
            let old = byName
            for name in old.keys where newValue[name] == nil { self[name] = nil }
            set(newValue.filter { old[$0.key] != $0.value })
        }
    }

    /// Sets each of `others`, sorted by name.
    package mutating func set(_ others: [String: String]) {
        for (name, value) in others.sorted(by: { $0.key < $1.key }) { self[name] = value }
    }

    /// The fields in the syntax of libcurl and curl. A name with a semicolon sends a field without a value; a name with
    /// a colon alone would remove the field.
    package static func curlLines(_ fields: [(name: String, value: String)]) -> [String] {
        fields.map { name, value in
            let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            return isBlank ? "\(name);" : "\(name): \(value)"
        }
    }

    /// Fails for a name that is no token, and for a value with CR, LF or NUL (RFC 9110 §5.5, §5.6.2). They would allow
    /// header injection.
    package func validate() throws {
        guard !areValid, let field = fields.first(where: { !$0.isValid }) else { return }
        throw RequestBuildingError(
            .invalidHeader,
            field.hasValidName
                ? "The value of the header \(field.name) holds a line break or a NUL."
                : "\"\(field.name.debugDescription.dropFirst().dropLast())\" is no header name.")
    }
}

extension HttpHeaders.Field {
    fileprivate var hasValidName: Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
    }

    fileprivate var isValid: Bool {
        hasValidName && value.utf8.allSatisfy { $0 != 0 && $0 != 10 && $0 != 13 }
    }
}

extension HttpHeaders: Equatable {
    /// Whether the fields are the same, in the same order. Names and values are case-sensitive here.
    public static func == (left: HttpHeaders, right: HttpHeaders) -> Bool {
        left.fields == right.fields
    }
}

extension HttpHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers with the fields in the order of the literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }
}

extension String {
    /// Compares as header names are compared: ASCII letters are case-insensitive.
    package func equalsIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let areSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                left.indices.allSatisfy { left[$0] == right[$0] || left[$0].lowercased == right[$0].lowercased }
            }
        }
        return (areSame ?? nil) ?? zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}

extension Substring {
    /// Without the optional white space around an element of a value (RFC 9110 §5.6.3).
    package var trimmed: Substring {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var text = utf8.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return Substring(text)
    }
}

extension UnsafeRawBufferPointer {
    /// Compares the bytes of a header's name with one in lower case. ASCII letters are case-insensitive.
    package func isHeader(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].lowercased != name.utf8Start[index] { return false }
        return true
    }
}

extension UInt8 {
    var lowercased: UInt8 {
        self >= 0x41 && self <= 0x5A ? self | 0x20 : self
    }

    /// Whether it is a `tchar` of a token (RFC 9110 §5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}
