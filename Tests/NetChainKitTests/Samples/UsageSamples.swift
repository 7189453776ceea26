// The code of CoreNetKit's page `usage.md`, in the order of the page. Each difference has a comment.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The samples stand in a namespace of their own, since other tests have a `User` too; and `Type` can't be nested, so
/// it is called `MemberType`.
enum UsageSamples {
    enum MemberType: Int, Codable {
        case owner
        case member
    }

    struct PhotoEntry: Codable {
        let id: String
        let ref: String
    }

    struct UserEntry: Codable {
        let name: String
        let age: Int
        let type: MemberType
        let photos: [PhotoEntry]
    }

    struct Photo {
        let id: String
        let image: String
    }

    struct User {
        let name: String
        let age: Int
        let type: MemberType
        let photos: [Photo]
    }

    enum RegistrationRoute {
        case auth
        case register
        case user(String)
    }
}

extension UsageSamples.PhotoEntry: RawDecodable {
    public typealias Raw = Json
}

extension UsageSamples.UserEntry: RawDecodable {
    public typealias Raw = Json
}

extension UsageSamples.Photo: DTODecodable {

    public typealias DTO = UsageSamples.PhotoEntry

    static func from(dto: UsageSamples.PhotoEntry) throws -> UsageSamples.Photo {
        return .init(id: dto.id, image: dto.ref)
    }
}

extension UsageSamples.User: DTODecodable {
    public typealias DTO = UsageSamples.UserEntry

    // CoreNetKit's page returns a `Photo` here, which can't compile.
    static func from(dto: UsageSamples.UserEntry) throws -> UsageSamples.User {
        return try .init(
            name: dto.name,
            age: dto.age,
            type: dto.type,
            photos: .from(dto: dto.photos))
    }
}

extension UsageSamples.RegistrationRoute: UrlRouteProvider {
    func url() throws -> URL {
        let base = URL(string: "http://example.com")
        switch self {
        case .auth:
            return try base + "/user/auth"
        case .register:
            return try base + "/user/register"
        case .user(let id):
            return try base + "/user/\(id)"
        }
    }
}
