extension Array: DTOEncodable where Element: DTOEncodable, Element.DTO.Raw == Json {
    /// Converts each element to its model of the lower layer.
    public func toDTO() throws -> [Element.DTO] { try map { try $0.toDTO() } }
}

extension Array: DTODecodable where Element: DTODecodable, Element.DTO.Raw == Json {
    /// Creates each element from its model of the lower layer.
    public static func from(dto: consuming [Element.DTO]) throws -> [Element] {
        try Array(outsideCount: dto.count) { try Element.from(dto: dto[$0]) }
    }
}

extension Dictionary: DTOEncodable where Key == String, Value: DTOEncodable, Value.DTO.Raw == Json {
    /// Converts each value to its model of the lower layer.
    public func toDTO() throws -> [String: Value.DTO] { try mapValues { try $0.toDTO() } }
}

extension Dictionary: DTODecodable where Key == String, Value: DTODecodable, Value.DTO.Raw == Json {
    /// Creates each value from its model of the lower layer.
    public static func from(dto: [String: Value.DTO]) throws -> [String: Value] {
        try dto.mapValues { try Value.from(dto: $0) }
    }
}

extension Optional: DTOEncodable where Wrapped: DTOEncodable, Wrapped.DTO.Raw == Json {
    /// Converts the value to its model of the lower layer; nil for nil.
    public func toDTO() throws -> Wrapped.DTO? { try map { try $0.toDTO() } }
}

extension Optional: DTODecodable where Wrapped: DTODecodable, Wrapped.DTO.Raw == Json {
    /// Creates the value from its model of the lower layer; nil for nil.
    public static func from(dto: Wrapped.DTO?) throws -> Wrapped? { try dto.map { try Wrapped.from(dto: $0) } }
}
