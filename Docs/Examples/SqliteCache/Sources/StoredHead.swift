import Foundation
import NetChainKit

/// An entry as it is stored in a column, in JSON.
struct StoredHead: Codable {
    private struct Header: Codable {
        let name: String
        let value: String?
    }

    private let id: UUID
    private let url: String
    private let session: String
    private let nominated: [Header]
    private let status: Int
    private let headers: [Header]
    private let requestTime: Date
    private let responseTime: Date

    init(_ entry: HttpCacheEntry) {
        id = entry.id
        url = entry.key.url
        session = entry.key.session.rawValue
        nominated = entry.nominated.map { Header(name: $0.name, value: $0.value) }
        status = entry.status
        headers = entry.headers.fields.map { Header(name: $0.name, value: $0.value) }
        requestTime = entry.requestTime
        responseTime = entry.responseTime
    }

    var entry: HttpCacheEntry {
        HttpCacheEntry(
            id: id, key: HttpCacheKey(url: url, session: HttpCacheSession(rawValue: session)),
            nominated: nominated.map { .init(name: $0.name, value: $0.value) }, status: status,
            headers: HttpHeaders(headers.map { .init(name: $0.name, value: $0.value ?? "") }),
            requestTime: requestTime, responseTime: responseTime)
    }
}
