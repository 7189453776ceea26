import HttpMessages
import Models
import NodeCore
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values of a request's query that are secrets, such as an `api_key`. Servers leave them out of their links.
struct LinkSecrets: Sendable {
    /// Other origins get none.
    static let atAnotherOrigin = LinkSecrets(secrets: nil)

    /// What a secret is; nil at another origin.
    private let secrets: OriginSecrets?
    /// Those of the settings, all of them.
    private var declared = UrlQuery()
    /// Those of the URL, percent-encoded, all of them.
    private var pairs: [ArraySlice<UInt8>] = []
    /// The names in the query of the link.
    private var names: Set<String> = []

    private init(secrets: OriginSecrets?) {
        self.secrets = secrets
    }

    /// Takes the secrets of a request.
    init(_ settings: RequestSettings, _ url: URL) {
        let secrets = settings.secrets
        self.init(secrets: secrets)
        declared = settings.query
        declared.filter { secrets.contains(parameter: $0, $1) }
        pairs = Self.pairs(of: url).filter { pair in
            let value = pair.drop { $0 != UInt8(ascii: "=") }.dropFirst()
            let isNumber = !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }
            return secrets.contains(parameter: Self.name(pair), isNumber: isNumber)
        }
    }

    /// The same secrets for a link.
    func lacked(by link: URL) -> LinkSecrets {
        var copy = self
        copy.names = Set(Self.pairs(of: link).map { Self.key(Self.name($0)) })
        return copy
    }

    /// Whether this value of a request's query is added to the link.
    func adds(_ name: String, _ value: QueryValue) -> Bool {
        secrets?.contains(parameter: name, value) == true && !names.contains(Self.key(name))
    }

    /// The values of the settings that are added to the link.
    var query: UrlQuery {
        var query = declared
        query.filter(adds)
        return query
    }

    /// The link with the values of the first request's URL that it lacks.
    func completing(_ link: URL) throws -> URL {
        let lacked = pairs.filter { !names.contains(Self.key(Self.name($0))) }
        if lacked.isEmpty { return link }
        return try link + ("?" + lacked.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "&"))
    }

    private static func pairs(of url: URL) -> [ArraySlice<UInt8>] {
        UrlText(url.absoluteString.utf8)?.query?.split(separator: UInt8(ascii: "&")) ?? []
    }

    private static func name(_ pair: ArraySlice<UInt8>) -> String {
        String(
            decoding: Percent.decoded(pair.prefix { $0 != UInt8(ascii: "=") }, plusIsSpace: true), as: UTF8.self)
    }

    /// The name without the keys of a dictionary or the brackets of an array.
    private static func key(_ name: String) -> String {
        String(name.prefix { $0 != "[" })
    }
}
