/// A JSON value that a ``JsonReadable`` type is being read from: usually an object, whose members are subscripts.
///
/// ```swift
/// init(json: inout JsonInput) throws {
///     self.init(
///         id: try json["id"],
///         nickname: try json["nickname"],          // a String?: nil if there is none or it is null
///         tags: try json["tags", default: []],
///         city: try json["address", "city"],
///         extra: try json["extra", default: Json()])
/// }
/// ```
///
/// - Keys are those of the document. The decoder's key strategy isn't applied, those for dates, data and infinities are.
/// - It is a view of the document that is valid during the initializer only. It can be neither copied nor stored, and a
///   type has no way to replace it.
/// - To read a value that is no object, such as a number, use that type's initializer: `raw = try Int(json: &json)`.
/// - Several types can read their members from one object: `base = try Base(json: &json)`.
public struct JsonInput: ~Copyable {
    /// How the members are found.
    @usableFromInline
    enum Search {
        /// In the document's order, each at the cursor.
        case ordered
        /// Not all in order, or not all found. Keys may occur twice.
        case unordered
        /// In a hash table.
        case table
        /// One by one, for the last with the key.
        case last
        /// Nowhere: the value is a member that isn't there.
        case absent
    }

    /// Not for applications. The place of a value in the document.
    public struct _Place {
        /// The value's index on the tape; below 0 if there is none.
        @usableFromInline let node: Int

        @usableFromInline
        init(_ node: Int) { self.node = node }
    }

    // Before Swift 6.1, an initializer may not call a mutating method of a value with constants.
    private(set) var bytes: UnsafePointer<UInt8>
    private(set) var tape: UnsafePointer<UInt64>
    @usableFromInline private(set) var context: UnsafeMutablePointer<JsonInputContext>
    /// The value's index on the tape.
    private(set) var node: Int
    /// The tape index of the key that is expected next; `end` if all keys are searched, and if there are none.
    @usableFromInline var cursor: Int
    /// The tape index past the members; 0 if the value is no object.
    @usableFromInline private(set) var end: Int
    @usableFromInline var search: Search
    /// The hash table if `search` is `table`.
    var table: Unmanaged<JsonMemberTable>?
    /// How many keys weren't at the cursor, up to 255.
    var misses: UInt8 = 0
    /// The keys that were found at the cursor.
    var filter = JsonKeyFilter()

    /// Inlined into `child(at:)`, which makes the input of each object: decoding users takes 6 % less time.
    @inline(__always)
    init(_ context: UnsafeMutablePointer<JsonInputContext>, at node: Int, _ search: Search = .ordered) {
        bytes = context.pointee.bytes
        tape = context.pointee.tape
        self.context = context
        self.node = node
        self.search = search
        let word = JsonWord(bits: context.pointee.tape[node])
        let isObject = word.kind == JsonWord.object
        end = isObject ? word.low : 0
        cursor = isObject && search == .ordered ? node + 1 : end
        if context.pointee.isChecked { openChecked() }
    }

    @usableFromInline
    func child(at place: _Place) -> JsonInput { JsonInput(context, at: place.node) }

    @usableFromInline var ownPlace: _Place { _Place(node) }

    @inline(__always)
    func word(_ node: Int) -> JsonWord { JsonWord(bits: tape[node]) }

    /// The tape index past the value.
    @inline(__always)
    func next(after node: Int) -> Int {
        let word = word(node)
        return word.isContainer ? word.low : node + 1
    }

    // MARK: - Members

    /// The member with this key. An optional is nil if there is none or it is `null`.
    ///
    /// - Throws: `DecodingError`, with the coding path: `keyNotFound`, `valueNotFound` for `null`, `typeMismatch`,
    ///   `dataCorrupted`; the errors of the value's type.
    @inlinable
    public subscript<Value: JsonReadable>(_ key: StaticString) -> Value {
        mutating get throws { try Value._member(key.jsonKey, of: &self) }
    }

    /// The member with this key, or the default if there is none or it is `null`.
    ///
    /// - Throws: `DecodingError` if there is another value.
    @inlinable
    public subscript<Value: JsonReadable>(_ key: StaticString, default other: @autoclosure () -> Value) -> Value {
        mutating get throws { try Value?._member(key.jsonKey, of: &self) ?? other() }
    }

    /// The member of a member: `json["address", "city"]`. An optional is nil if either is missing or `null`.
    @inlinable
    public subscript<Value: JsonReadable>(_ key: StaticString, _ inner: StaticString) -> Value {
        mutating get throws {
            var member = try nested(key.jsonKey)
            return try Value._member(inner.jsonKey, of: &member)
        }
    }

    /// The member of a member, or the default if either is missing or `null`.
    @inlinable
    public subscript<Value: JsonReadable>(
        _ key: StaticString, _ inner: StaticString, default other: @autoclosure () -> Value
    ) -> Value {
        mutating get throws { try self[key, inner] ?? other() }
    }

    /// The member of a member of a member: `json["user", "address", "city"]`. An optional is nil if one of them is
    /// missing or `null`.
    @inlinable
    public subscript<Value: JsonReadable>(
        _ key: StaticString, _ inner: StaticString, _ innermost: StaticString
    ) -> Value {
        mutating get throws {
            let member = try nested(key.jsonKey)
            var inside = try member.nested(inner.jsonKey)
            return try Value._member(innermost.jsonKey, of: &inside)
        }
    }

    /// The member with a key that isn't a literal, for example one of ``keys``:
    ///
    /// ```swift
    /// for key in try json.keys { values[key] = try json[key: key] }
    /// ```
    @inlinable
    public subscript<Value: JsonReadable>(key key: String) -> Value {
        mutating get throws {
            var key = key
            return try key.withUTF8 { try Value._member($0, of: &self) }
        }
    }

    /// The keys of the object in the document's order, each once. A repeated key has the place of its last member.
    ///
    /// - Throws: `DecodingError` if the value is no object.
    public var keys: [String] {
        get throws { try distinctMembers().map(\.key) }
    }

    /// Whether the object has a member with this key, `null` included.
    ///
    /// - Throws: `DecodingError` if the value is no object.
    public func contains(_ key: StaticString) throws -> Bool { try lastMember(key.jsonKey) >= 0 }

    // MARK: - The value

    @usableFromInline
    func isNull(at place: _Place) -> Bool { word(place.node).kind == JsonWord.null }

    /// What kind of value this is, for a type that has several forms:
    ///
    /// ```swift
    /// switch json.kind {
    /// case .string: self = .name(try String(json: &json))
    /// default: self = .id(try Int(json: &json))
    /// }
    /// ```
    public var kind: Json.Kind {
        switch word(node).kind {
        case JsonWord.null: .null
        case JsonWord.true, JsonWord.false: .bool
        case JsonWord.integer, JsonWord.real: .number
        case JsonWord.string, JsonWord.escaped: .string
        case JsonWord.array: .array
        default: .object
        }
    }

    /// The path of keys and indices from the root of the document to this value.
    public var codingPath: [any CodingKey] { context.pointee.path(to: node) }

    /// The error of a value that isn't allowed, with the coding path: `throw json.dataCorrupted("The range is empty.")`.
    public func dataCorrupted(_ description: String) -> DecodingError {
        context.pointee.corrupted(description, at: node)
    }
}

extension StaticString {
    /// The bytes of a literal, which live as long as the program.
    @inlinable @inline(__always)
    var jsonKey: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
