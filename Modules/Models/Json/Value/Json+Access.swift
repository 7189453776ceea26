#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Json {
    /// The kinds of JSON values.
    public enum Kind: Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool
        /// A number, whatever its size.
        case number
        /// A string.
        case string
        /// An array.
        case array
        /// An object.
        case object
    }

    /// The parsed document and the value's tape index; nil for a value that was built.
    var view: (document: JsonDocument, node: Int)? {
        switch storage {
        case .document(let document, let node): (document, node)
        case .encoded(let text): text.document.map { ($0, 0) }
        default: nil
        }
    }

    /// What kind of value this is.
    public var kind: Kind {
        if let (document, node) = view {
            return switch document.word(node).kind {
            case JsonWord.null: .null
            case JsonWord.true, JsonWord.false: .bool
            case JsonWord.integer, JsonWord.real: .number
            case JsonWord.string, JsonWord.escaped: .string
            case JsonWord.array: .array
            default: .object
            }
        }
        return switch storage {
        case .bool: .bool
        case .integer, .unsigned, .double, .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        default: .null
        }
    }

    /// Whether this is `null`.
    public var isNull: Bool { kind == .null }

    /// The text, if this is a string.
    public var string: String? {
        if let (document, node) = view { return document.word(node).isString ? document.string(at: node) : nil }
        if case .string(let text) = storage { return text }
        return nil
    }

    /// The value, if this is `true` or `false`.
    public var bool: Bool? {
        if let (document, node) = view {
            let kind = document.word(node).kind
            return kind == JsonWord.true ? true : kind == JsonWord.false ? false : nil
        }
        if case .bool(let value) = storage { return value }
        return nil
    }

    /// The number as JSON text, if this is a number. For a parsed number, the original characters.
    public var numberText: String? {
        if let (document, node) = view { return document.word(node).isNumber ? document.numberText(at: node) : nil }
        return switch storage {
        case .integer(let value): value.description
        case .unsigned(let value): value.description
        case .double(let value): JsonNumber.text(value)
        case .number(let text): text
        default: nil
        }
    }

    /// The value, if this is a number with an integral value (`1`, `1.0` and `1e0` alike) that the type can hold.
    public func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        switch storage {
        case .integer(let value): Value(exactly: value)
        case .unsigned(let value): Value(exactly: value)
        default: numberText.flatMap { JsonNumber.integer($0) }
        }
    }

    /// The value, if this is a number with an integral value that an `Int` can hold.
    public var int: Int? { integer() }

    /// The nearest `Double`, if this is a number that is not too large for one.
    public var double: Double? {
        if case .double(let value) = storage { return value }
        guard let value = numberText.flatMap({ Double($0) }), value.isFinite else { return nil }
        return value
    }

    /// The value as a decimal number, if this is a number that a `Decimal` can hold.
    public var decimal: Decimal? { numberText.flatMap { JsonNumber.decimal($0) } }

    /// The elements, if this is an array.
    public var array: [Json]? {
        if kind == .array { return Array(elements) }
        return nil
    }

    /// The members, if this is an object. Of duplicate keys the last counts; ``members`` keeps the order and
    /// duplicates.
    public var object: [String: Json]? {
        guard kind == .object else { return nil }
        return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
    }

    /// The number of elements of an array or members of an object, 0 for other kinds.
    public var count: Int {
        if let (document, node) = view {
            let word = document.word(node)
            return word.isContainer ? word.high : 0
        }
        return switch storage {
        case .array(let elements): elements.count
        case .object(let object): object.count
        default: 0
        }
    }
}
