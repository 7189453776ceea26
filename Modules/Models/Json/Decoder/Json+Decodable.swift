#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Json {
    /// Decodes a type from this value. A parsed value is not parsed again.
    ///
    /// - Throws: what the decoder throws, usually `DecodingError`.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: JsonDecoder = .default
    ) throws -> Value {
        try decoder.decode(type, from: self)
    }
}

extension Json: Decodable {
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
}
