/// A JSON value that a ``JsonWritable`` type is written to: usually an object, whose members are subscripts.
///
/// ```swift
/// func members(to json: inout JsonOutput) {
///     json["id"] = id
///     json["nickname"] = nickname              // a String?: left out if it is nil
///     json.object("address") { $0["city"] = city }
///     json["extra"] = extra                    // a Json
/// }
/// ```
///
/// - Keys are written as they are here. The encoder's key strategy isn't applied, those for dates, data and infinities
///   and the format are.
/// - Of members with the same key the last one counts.
/// - A value that can't be written, such as `Double.nan`, makes the whole encoding fail. The encoder throws the first
///   error when the method has returned: an `EncodingError`, or that of a strategy's function.
/// - It can be neither copied nor stored, and is valid during the method only.
public struct JsonOutput: ~Copyable {
    /// What has been written.
    @usableFromInline
    enum Content {
        case empty, single, array, object
    }

    let writer: JsonWriter
    let context: UnsafeMutablePointer<JsonOutputContext>
    /// The number of arrays and objects that contain the value.
    let depth: Int
    var content = Content.empty
    /// Whether the encoding fails because two values were written as this one.
    @usableFromInline private(set) var isMisused = false
    /// Whether two members may have the same key.
    var mayRepeatKeys = false
    /// The index of the object's first member in the context.
    let first: Int
    var filter = JsonKeyFilter()

    init(_ context: UnsafeMutablePointer<JsonOutputContext>, depth: Int) {
        self.context = context
        self.depth = depth
        writer = context.pointee.writer
        first = context.pointee.memberCount
    }

    @usableFromInline
    func child() -> JsonOutput { JsonOutput(context, depth: depth + 1) }

    // MARK: - Members

    /// Writes a member. One that is nil is left out: `Json.null` writes `null`.
    ///
    /// Only the setter can be used.
    @inlinable
    public subscript<Value: JsonWritable>(_ key: StaticString) -> Value {
        @available(*, unavailable, message: "what was written can't be read")
        get { preconditionFailure("What was written can't be read") }
        set { newValue._write(key.jsonKey, to: &self) }
    }

    /// Writes a member with a key that isn't a literal:
    ///
    /// ```swift
    /// for (key, value) in values { json[key: key] = value }
    /// ```
    ///
    /// Only the setter can be used.
    @inlinable
    public subscript<Value: JsonWritable>(key key: String) -> Value {
        @available(*, unavailable, message: "what was written can't be read")
        get { preconditionFailure("What was written can't be read") }
        set {
            var key = key
            key.withUTF8 { newValue._write($0, to: &self) }
        }
    }

    /// Writes a member of a type that is `Encodable` only. One that is nil is left out.
    ///
    /// The type is encoded with the strategies of the encoder that writes the whole value, its key strategy included.
    public mutating func encode<Value: Encodable>(_ key: StaticString, _ value: Value?) {
        guard let value else { return }
        begin(key.jsonKey)
        context.encode(value, depth: depth + 1)
    }

    /// Writes a member that is an object, whose members the closure writes.
    @inlinable
    public mutating func object(_ key: StaticString, _ write: (inout JsonOutput) -> Void) {
        begin(key.jsonKey)
        var child = child()
        write(&child)
        child.end(within: self)
    }

    /// Writes a member that is an array, with an element for each value, which the closure writes:
    ///
    /// ```swift
    /// json.array("corners", corners) { $1["x"] = $0.x }
    /// ```
    @inlinable
    public mutating func array<Values: Sequence>(
        _ key: StaticString, _ values: Values, _ write: (Values.Element, inout JsonOutput) -> Void
    ) {
        begin(key.jsonKey)
        var child = child()
        child.array(values, write)
        child.end(within: self)
    }

    /// Writes an array as the value, with an element for each value, which the closure writes.
    @inlinable
    public mutating func array<Values: Sequence>(
        _ values: Values, _ write: (Values.Element, inout JsonOutput) -> Void
    ) {
        guard open(.array) else { return }
        for value in values {
            beginElement()
            var child = child()
            write(value, &child)
            child.end(within: self)
        }
    }

    // MARK: - Arrays and objects

    /// Opens an array or an object. False if something else was written: then the encoding fails.
    @usableFromInline
    mutating func open(_ new: Content) -> Bool {
        guard content == .empty else {
            if context.pointee.failForTwoValues(depth: depth) { isMisused = true }
            return false
        }
        content = new
        if new == .single { return true }
        writer.check(depth: depth + 1) { context.path() }
        writer.write(new == .object ? 0x7B : 0x5B)
        return true
    }

    /// Writes the elements of an array.
    ///
    /// Not inlinable: code for a known type would copy, and so retain, each element.
    @usableFromInline @inline(never)
    mutating func write<Element: JsonWritable>(_ elements: [Element]) {
        guard open(.array) else { return }
        elements.withUnsafeBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            for index in 0..<elements.count {
                beginElement()
                (start + index).pointee._write(to: &self)
            }
        }
    }

    /// Writes what precedes an element: a comma, and a line break if lines are indented.
    @usableFromInline @inline(__always)
    mutating func beginElement() {
        if writer.last != 0x5B { writer.write(0x2C) }
        if writer.isPretty { writer.writeLine(indent: depth + 1) }
    }

    /// Writes what precedes a member's value.
    @usableFromInline
    mutating func begin(_ key: UnsafeBufferPointer<UInt8>) { member(key) }

    /// Writes what precedes a member's value: the comma before the key, the key, and the colon. Returns the offset of
    /// the key's opening quote.
    @inline(__always) @discardableResult
    mutating func member(_ key: UnsafeBufferPointer<UInt8>, isUnique: Bool = false) -> Int {
        let isFirst = content != .object
        if isFirst, !open(.object) { return writer.count }
        var start = writer.count
        let hash: UInt64
        if writer.isPretty {
            if !isFirst { writer.write(0x2C) }
            writer.writeLine(indent: depth + 1)
            start = writer.count
            hash = writer.write(key: key, colon: " : ")
        } else {
            hash = writer.write(compactKey: key, isFirst: isFirst)
            if !isFirst { start += 1 }
        }
        if !isUnique || writer.sortsKeys { add(start, writer.count - start - (writer.isPretty ? 3 : 1), hash) }
        return start
    }

    /// Adds the member whose quoted key was just written.
    @inline(__always)
    private mutating func add(_ start: Int, _ length: Int, _ hash: UInt64) {
        if filter.insert(hash: hash), !mayRepeatKeys {
            mayRepeatKeys = context.pointee.mayHaveMember(start, length, since: first)
        }
        context.pointee.addMember(start, length)
    }

    /// Names a value that has written two values.
    @usableFromInline @inline(never)
    func reportMisuse<Value>(by value: Value) { context.pointee.nameTwoValues(value, "\(Value.self)") }

    /// Completes the value: closes the array or the object. A value that wrote nothing is an empty object.
    @usableFromInline
    mutating func end(within parent: borrowing JsonOutput) {
        // Only code that makes a closure with an output escape can exchange two outputs.
        guard context == parent.context else { preconditionFailure("A JsonOutput was exchanged for another one.") }
        switch content {
        case .single: return
        case .empty: _ = open(.object)
        case .array: break
        case .object:
            if mayRepeatKeys || writer.sortsKeys { context.pointee.settle(since: first, depth: depth) }
            context.pointee.memberCount = first
        }
        if writer.isPretty {
            if writer.last == 0x7B || writer.last == 0x5B { writer.write(0x0A) }
            writer.writeLine(indent: depth)
        }
        writer.write(content == .object ? 0x7D : 0x5D)
    }
}
