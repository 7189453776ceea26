/// A model of the application that can be converted to a model of the lower layer (DTO).
public protocol DTOEncodable: Sendable {
    /// The model of the lower layer.
    associatedtype DTO: RawEncodable

    /// Converts this value to a model of the lower layer.
    ///
    /// - Throws: an error if the value can't be converted.
    func toDTO() throws -> DTO
}

/// A model of the application that can be created from a model of the lower layer (DTO).
///
/// ```swift
/// struct PhotoEntry: Codable, RawMappable {
///     typealias Raw = Json
///     let ref: String
/// }
/// struct Photo: DTODecodable {
///     let image: String
///     static func from(dto: PhotoEntry) throws -> Photo { Photo(image: dto.ref) }
/// }
/// ```
public protocol DTODecodable: Sendable {
    /// The model of the lower layer.
    associatedtype DTO: RawDecodable

    /// Creates a value from a model of the lower layer, whose ownership the caller passes on. An implementation may
    /// declare the parameter as `consuming` or, as most do, as a plain parameter.
    ///
    /// - Throws: an error if the value can't be created.
    static func from(dto: consuming DTO) throws -> Self
}

/// A model of the application that converts in both directions.
public typealias DTOConvertible = DTOEncodable & DTODecodable

extension DTOEncodable where DTO == Self {
    /// Returns the value itself: it is its own lower layer.
    public func toDTO() throws -> Self { self }
}

extension DTODecodable where DTO == Self {
    /// Returns the value itself: it is its own lower layer.
    public static func from(dto: consuming Self) throws -> Self { dto }
}
