#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JsonValueEncoder {
    /// Writes a member. If its value fails, removes what was written.
    @inline(__always)
    func encodeMember<Value: Encodable>(_ value: Value, _ key: some CodingKey) throws {
        beginMember(name(of: key))
        let kind = types.kind(of: Value.self)
        if encodeSimple(value, kind) { return }
        try undoingFailure { try encodeChild(value, kind, at: key) }
    }

    @inline(__always)
    func encodeElement<Value: Encodable>(_ value: Value, _ kind: JsonTypeKind) throws {
        let index = count
        beginElement()
        if encodeSimple(value, kind) { return }
        try encodeChild(value, kind, at: index)
    }

    /// Writes a value that needs no encoder and cannot fail. Returns false, and writes nothing, for any other value.
    @inline(__always)
    func encodeSimple<Value>(_ value: Value, _ kind: JsonTypeKind) -> Bool {
        switch kind {
        case .special(.string): writer.write(sameType(value) as String)
        case .special(.int): writer.write(integer: sameType(value) as Int)
        case .special(.bool): writer.write(bool: sameType(value))
        case .special(.double) where (sameType(value) as Double).isFinite: writer.write(double: sameType(value))
        default: return false
        }
        return true
    }

    /// Writes a member's value.
    @inline(__always)
    func encodeChild<Value: Encodable>(_ value: Value, _ kind: JsonTypeKind, at key: some CodingKey) throws {
        let child = takeChild()
        child.place(below: self, at: key)
        try encode(value, kind, with: consume child)
    }

    /// Writes an element.
    @inline(__always)
    func encodeChild<Value: Encodable>(_ value: Value, _ kind: JsonTypeKind, at index: Int) throws {
        let child = takeChild()
        child.place(below: self, at: index)
        try encode(value, kind, with: consume child)
    }

    @inline(__always)
    private func encode<Value: Encodable>(
        _ value: Value, _ kind: JsonTypeKind, with child: consuming JsonValueEncoder
    ) throws {
        do {
            try child.encode(value, kind, isWhole: true)
            child.end()
            giveBack(consume child)
        } catch {
            giveBack(consume child)
            throw error
        }
    }

    /// Writes all that this encoder encodes.
    func encodeWhole<Value: Encodable>(_ value: Value) throws {
        try encode(value, types.kind(of: Value.self), isWhole: true)
    }

    /// Writes this encoder's own value, to which a type may add members.
    func encode<Value: Encodable>(_ value: Value) throws {
        let isFirst = content == .empty
        let start = writer.count
        do {
            try encode(value, types.kind(of: Value.self), isWhole: false)
        } catch {
            if isFirst { undoValue(from: start) }
            throw error
        }
    }

    /// Writes this encoder's own value, whose kind is known.
    ///
    /// - Parameter isWhole: whether nothing else is encoded to the same array or object.
    @inline(__always)
    private func encode<Value: Encodable>(_ value: Value, _ kind: JsonTypeKind, isWhole: Bool) throws {
        switch kind {
        case .plain: try value.encode(to: self)
        case .collection: try encodeCollection(value, isWhole: isWhole)
        case .special(let kind): try encodeSpecial(value, kind)
        }
    }

    /// Writes a type that the encoder handles itself, without the type's own `encode(to:)`.
    @inline(never)
    private func encodeSpecial<Value: Encodable>(_ value: Value, _ kind: JsonTypeKind.Special) throws {
        // The kind guarantees that each `sameType` returns the type `Value`.
        switch kind {
        case .string: try encode(sameType(value) as String)
        case .int: try encode(sameType(value) as Int)
        case .double: try encode(sameType(value) as Double)
        case .bool: try encode(sameType(value) as Bool)
        case .strings: try encodeElements(sameType(value) as [String], .string)
        case .ints: try encodeElements(sameType(value) as [Int], .int)
        case .doubles: try encodeElements(sameType(value) as [Double], .double)
        case .date: try encode(date: sameType(value))
        case .url: try encode((sameType(value) as URL).absoluteString)
        case .data: try encode(data: sameType(value))
        case .decimal: try encode(decimal: sameType(value))
        case .uuid: if openSingle() { writer.write(quoted: UUID.textLength, (sameType(value) as UUID).write) }
        case .json: if openSingle() { writer.write(sameType(value) as Json, depth: depth) { codingPath } }
        }
    }

    /// Writes an array of a type that the encoder handles itself. The loop is compiled for the type.
    @inline(__always)
    private func encodeElements<Element: Encodable>(_ elements: [Element], _ kind: JsonTypeKind.Special) throws {
        let encoder = (content == .empty ? self : misused()).open(.array)
        for element in elements { try encoder.encodeElement(element, .special(kind)) }
    }

    @inline(never)
    private func encodeCollection<Value: Encodable>(_ value: Value, isWhole: Bool) throws {
        let entry = types[Value.self]
        guard let collection = entry.pointee.encodable else {
            func write<Writable: JsonWritable>(as type: Writable.Type) throws {
                try self.write(sameType(value) as Writable)
            }
            guard let writable = entry.pointee.writable else { return try value.encode(to: self) }
            return try write(as: writable)
        }
        func write<Collection: JsonEncodableCollection>(as type: Collection.Type) throws {
            try (sameType(value) as Collection).encodeElements(
                to: content == .empty ? self : misused(), isWhole: isWhole)
        }
        try write(as: collection)
    }

    private func encode(date: Date) throws {
        switch settings.dates {
        case .deferredToDate: try encode(date.timeIntervalSinceReferenceDate)
        case .secondsSince1970: try encode(date.timeIntervalSince1970)
        case .millisecondsSince1970: try encode(1000 * date.timeIntervalSince1970)
        case .iso8601:
            if Iso8601Date.isUsual(date) {
                if openSingle() { writer.write(quoted: Iso8601Date.length) { Iso8601Date.write(date, to: $0) } }
                return
            }
            guard let text = Iso8601Date.text(date) else {
                let context = EncodingError.Context(
                    codingPath: codingPath, debugDescription: "Unable to encode a date outside the years 1 to 9999.")
                throw EncodingError.invalidValue(date.timeIntervalSince1970, context)
            }
            try encode(text)
        case .formatted(let format): try encode(try format(date))
        case .custom(let encode): try encode(date, self)
        }
    }

    private func encode(data: Data) throws {
        switch settings.data {
        case .base64: try encode(data.base64EncodedString())
        case .deferredToData: try data.encode(to: self)
        case .custom(let encode): try encode(data, self)
        }
    }

    private func encode(decimal: Decimal) throws {
        guard !decimal.isNaN else { throw EncodingError.notFinite(decimal, codingPath) }
        if openSingle() { writer.write(verbatim: decimal.description) }
    }

    /// The string that stands for an infinity or NaN. Throws if the strategy has none.
    @inline(never)
    func text(notFinite value: some BinaryFloatingPoint, _ path: () -> [any CodingKey]) throws -> String {
        try settings.text(notFinite: value, path)
    }
}

extension JsonValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { if openSingle() { writer.write(raw: "null") } }
    func encode(_ value: Bool) throws { if openSingle() { writer.write(bool: value) } }
    func encode(_ value: String) throws { if openSingle() { writer.write(value) } }
    func encode(_ value: Double) throws {
        if !value.isFinite { return try encode(try text(notFinite: value) { codingPath }) }
        if openSingle() { writer.write(double: value) }
    }
    func encode(_ value: Float) throws {
        if !value.isFinite { return try encode(try text(notFinite: value) { codingPath }) }
        if openSingle() { writer.write(float: value) }
    }
    func encode(_ value: Int) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: Int8) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: Int16) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: Int32) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: Int64) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: Int128) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: UInt) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: UInt8) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: UInt16) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: UInt32) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: UInt64) throws { if openSingle() { writer.write(integer: value) } }
    func encode(_ value: UInt128) throws { if openSingle() { writer.write(integer: value) } }
}
