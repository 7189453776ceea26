#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Json {
    /// Encodes a value and keeps the encoded bytes; no tree is built.
    ///
    /// - Throws: what the encoder throws, `EncodingError` as a rule; also for a text of 1 GiB or more, which can't be
    ///   looked into.
    public init(encoding value: some Encodable, encoder: JsonEncoder = .default) throws {
        let data = try encoder.encode(value)
        guard data.count <= JsonLimits.largest else {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "The text is larger than \(JsonLimits.largest) bytes.")
            throw EncodingError.invalidValue(value, context)
        }
        self.init(.encoded(JsonEncodedText(data)))
    }

    /// Decodes a type from this value. A parsed value is not parsed again.
    ///
    /// - Throws: what the decoder throws, `DecodingError` as a rule.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: JsonDecoder = .default
    ) throws -> Value {
        try decoder.decode(type, from: self)
    }
}

extension Json: Codable {
    /// Reads any value from any decoder; from a `JsonDecoder` it is a view of the decoded document.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JsonValueDecoder {
            self = decoder.json(at: decoder.node)
        } else if var array = try? decoder.unkeyedContainer() {
            var elements: [Json] = []
            while !array.isAtEnd { elements.append(try array.decode(Json.self)) }
            self.init(elements)
        } else if let object = try? decoder.container(keyedBy: JsonKey.self) {
            self.init(
                .object(
                    JsonObject(try object.allKeys.map { ($0.stringValue, try object.decode(Json.self, forKey: $0)) })))
        } else {
            try self.init(single: try decoder.singleValueContainer())
        }
    }

    private init(single value: any SingleValueDecodingContainer) throws {
        if value.decodeNil() {
            self.init(.null)
        } else if let bool = try? value.decode(Bool.self) {
            self.init(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self.init(integer)
        } else if let integer = try? value.decode(UInt64.self) {
            self.init(integer)
        } else if let text = try? value.decode(String.self) {
            self.init(text)
        } else if let decimal = try? value.decode(Decimal.self) {
            self.init(decimal)
        } else {
            self.init(try value.decode(Double.self))
        }
    }

    /// Writes the value to any encoder.
    ///
    /// - Throws: `EncodingError` where the encoder has no number that holds one of these.
    public func encode(to encoder: any Encoder) throws {
        // An encoder that has begun an object gets the members added to it below.
        if let encoder = encoder as? JsonValueEncoder, encoder.state == .empty { return try encoder.encode(self) }
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
        if let integer = int64 {
            try container.encode(integer)
        } else if let integer = uint64 {
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
