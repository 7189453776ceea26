import NetChainKit
import NetChainTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One layer: its own entry.
struct User: JsonModel, Equatable {
    var id: Int
    var name: String
}

struct TownEntry: Codable, RawMappable, Equatable {
    typealias Raw = Json
    let townName: String
}

/// Two layers.
struct Town: DTOConvertible, Equatable {
    let name: String

    static func from(dto: TownEntry) throws -> Town {
        Town(name: dto.townName)
    }

    func toDTO() throws -> TownEntry {
        TownEntry(townName: name)
    }
}

/// A model that JSON can't write.
struct Unwritable: JsonModel {
    var value = Double.infinity
}

/// The routes of an API at some base.
enum Route: UrlRouteProvider {
    case users
    case user(Int)
    case at(URL)
    case text(String)
    case broken

    struct Broken: Error, Equatable {}

    func url() throws -> URL {
        let base = URL(string: "http://api.example.com")
        switch self {
        case .users: return try base + "/users"
        case .user(let id): return try base + "/users/\(id)"
        case .at(let url): return url
        case .text(let text): return try URL(string: text) + ""
        case .broken: throw Broken()
        }
    }
}

extension UrlChainsBuilder {
    /// Without a log, with callbacks where the answer arrives.
    func quiet() -> Self {
        log(to: .silent).run(on: .inPlace, callbacks: .inPlace)
    }
}

extension ScriptedRequestSender {
    /// Answers each request with the same JSON.
    convenience init(json: String, status: Int = 200) {
        self.init { $0.respond(status: status, json: json) }
    }
}
