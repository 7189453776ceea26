/// A model of the application that can be turned into a model of the lower layer.
public protocol DTOEncodable: Sendable {
    /// The model of the lower layer.
    associatedtype DTO: RawEncodable

    /// This value as a model of the lower layer.
    ///
    /// - Throws: why it cannot be one.
    func toDTO() throws -> DTO
}

/// A model of the application that can be made from a model of the lower layer.
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

    /// A value made from a model of the lower layer, which the caller gives away. An implementation may take it as
    /// `consuming` or, as most do, as a plain parameter.
    ///
    /// - Throws: why it cannot be made.
    static func from(dto: consuming DTO) throws -> Self
}

/// A model of the application that goes both ways.
public typealias DTOConvertible = DTOEncodable & DTODecodable

extension DTOEncodable where DTO == Self {
    /// The value itself: it is its own lower layer.
    public func toDTO() throws -> Self { self }
}

extension DTODecodable where DTO == Self {
    /// The value itself: it is its own lower layer.
    public static func from(dto: consuming Self) throws -> Self { dto }
}
