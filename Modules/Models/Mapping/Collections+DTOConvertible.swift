extension Array: DTOEncodable where Element: DTOEncodable, Element.DTO.Raw == Json {
    /// The elements' lower layer.
    public func toDTO() throws -> [Element.DTO] { try map { try $0.toDTO() } }
}

extension Array: DTODecodable where Element: DTODecodable, Element.DTO.Raw == Json {
    /// The elements, each from its model of the lower layer.
    public static func from(dto: consuming [Element.DTO]) throws -> [Element] {
        if dto.isEmpty { return [] }
        // One that is alone has no other to take its place while it is mapped.
        if Element.DTO.self == Element.self, dto.count > 1 { return try mapInPlace(&dto) }
        // Written to where they stay, from where they are: an element is copied where its own type does so, and only there.
        return try dto.withUnsafeBufferPointer { source in
            try Array(outsideCount: source.count) { try Element.from(dto: source[$0]) }
        }
    }

    /// Maps elements of which each is its own lower layer where they are: mostly nothing is done to them, and where nobody
    /// else has the array nothing is copied.
    private static func mapInPlace(_ dto: inout [Element.DTO]) throws -> [Element] {
        try withUnsafeMutablePointer(to: &dto) { array in
            // The same type, as the caller has seen.
            let elements = UnsafeMutableRawPointer(array).assumingMemoryBound(to: [Element].self)
            try elements.pointee.withUnsafeMutableBufferPointer { elements in
                guard let start = elements.baseAddress else { return }
                let lower = UnsafeMutableRawPointer(start).assumingMemoryBound(to: Element.DTO.self)
                for index in elements.indices {
                    do {
                        (start + index).initialize(to: try Element.from(dto: (lower + index).move()))
                    } catch {
                        // The array goes with all of its elements, so that there has to be one.
                        (start + index).initialize(to: start[index == 0 ? 1 : 0])
                        throw error
                    }
                }
            }
            return elements.pointee
        }
    }
}

extension Dictionary: DTOEncodable where Key == String, Value: DTOEncodable, Value.DTO.Raw == Json {
    /// The values' lower layer.
    public func toDTO() throws -> [String: Value.DTO] { try mapValues { try $0.toDTO() } }
}

extension Dictionary: DTODecodable where Key == String, Value: DTODecodable, Value.DTO.Raw == Json {
    /// The values, each from its model of the lower layer.
    public static func from(dto: [String: Value.DTO]) throws -> [String: Value] {
        try dto.mapValues { try Value.from(dto: $0) }
    }
}

extension Optional: DTOEncodable where Wrapped: DTOEncodable, Wrapped.DTO.Raw == Json {
    /// The value's lower layer, nil for nil.
    public func toDTO() throws -> Wrapped.DTO? { try map { try $0.toDTO() } }
}

extension Optional: DTODecodable where Wrapped: DTODecodable, Wrapped.DTO.Raw == Json {
    /// The value from its model of the lower layer, nil for nil.
    public static func from(dto: Wrapped.DTO?) throws -> Wrapped? { try dto.map { try Wrapped.from(dto: $0) } }
}
