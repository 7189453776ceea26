#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Json {
    /// Encodes a value and keeps the encoded bytes; no tree is built.
    ///
    /// - Throws: what the encoder throws, usually `EncodingError`; also for a text of 1 GiB or more, which can't
    ///   be parsed.
    public init(encoding value: some Encodable, encoder: JsonEncoder = .default) throws {
        try self.init(text: encoder.encode(value), of: value)
    }

    /// Encodes a literal of mixed values: `try Json(encoding: ["name": name, "born": date, "team": nil])`.
    ///
    /// - Throws: what the encoder throws.
    @_disfavoredOverload
    public init(encoding members: BodyMembers, encoder: JsonEncoder = .default) throws {
        try self.init(encoding: members.values, encoder: encoder)
    }

    /// Keeps what an encoder wrote for a value.
    init(text data: Data, of value: Any) throws {
        guard data.count <= JsonLimits.largest else {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "The text is larger than \(JsonLimits.largest) bytes.")
            throw EncodingError.invalidValue(value, context)
        }
        self.init(.encoded(JsonEncodedText(data)))
    }
}

extension Json: Encodable {
    /// Writes the value to any encoder.
    ///
    /// - Throws: `EncodingError` if a number is too large, or too close to zero, for the encoder's number types.
    public func encode(to encoder: any Encoder) throws {
        // If the encoder has begun an object, the code below adds the members to it.
        if let encoder = encoder as? JsonValueEncoder, encoder.content == .empty { return try encoder.encode(self) }
        switch kind {
        case .array:
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object:
            var container = encoder.container(keyedBy: JsonKey.self)
            for (key, value) in members { try container.encode(value, forKey: JsonKey(key)) }
        default:
            var container = encoder.singleValueContainer()
            switch kind {
            case .bool: try container.encode(bool ?? false)
            case .string: try container.encode(string ?? "")
            case .number: try encodeNumber(to: &container)
            default: try container.encodeNil()
            }
        }
    }

    private func encodeNumber(to container: inout any SingleValueEncodingContainer) throws {
        if let integer = integer(Int64.self) {
            try container.encode(integer)
        } else if let integer = integer(UInt64.self) {
            try container.encode(integer)
        } else if let double, JsonNumber(JsonNumber.text(double)) == JsonNumber(numberText ?? "") {
            try container.encode(double)
        } else if let decimal, JsonNumber(decimal.description) == JsonNumber(numberText ?? "") {
            try container.encode(decimal)
        } else if let double, double != 0 {
            try container.encode(double)
        } else {
            let context = EncodingError.Context(
                codingPath: container.codingPath,
                debugDescription: "A number is too large, or too near to zero, for this encoder.")
            throw EncodingError.invalidValue(self, context)
        }
    }
}
