import Logging
import Models
public import NodeCore
import Synchronization
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sender that responds from a HAR file, for tests: nothing goes over a network.
///
/// A request gets the response that was recorded for its method and URL, secrets masked in both. Several responses to
/// one request come in their order, and the last one stays. A redirect leads to the next entry of the file.
public final class HarReplayingSender: RequestSender {
    private struct Entry: Sendable {
        let method: String
        let url: URL
        let key: String
        let status: Int
        let headers: HttpHeaders
        let body: Data

        var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && headers["Location"] != nil }
    }

    private let entries: [Entry]
    /// The place of the response that was given last, by what was requested.
    private let places = Mutex<[String: Int]>([:])

    /// Makes a sender of a HAR file's bytes.
    ///
    /// - Throws: ``HarReplayError`` where they are no HAR file.
    public init(har: Data) throws {
        guard let log = try? Json(parsing: har)["log"], let entries = log["entries"]?.array else {
            throw HarReplayError("This is no HAR file: it has no log with entries.")
        }
        self.entries = try entries.enumerated().map { index, entry in
            guard let entry = Self.entry(entry) else {
                throw HarReplayError("Entry \(index) of the HAR file has no method, URL or status.")
            }
            return entry
        }
    }

    /// Makes a sender of a HAR file.
    ///
    /// - Throws: ``HarReplayError`` where it is none; Foundation's error where it can't be read.
    public convenience init(file: URL) throws {
        try self.init(har: try Data(contentsOf: file))
    }

    private static func entry(_ json: Json) -> Entry? {
        guard let method = json["request"]?["method"]?.string, let text = json["request"]?["url"]?.string,
            let url = URL(string: text), let response = json["response"], let status = response["status"]?.int
        else { return nil }
        var headers = HttpHeaders()
        for field in response["headers"]?.array ?? [] {
            guard let name = field["name"]?.string, let value = field["value"]?.string else { continue }
            headers.add(name: name, value: value)
        }
        let content = response["content"]
        let bodyText = content?["text"]?.string ?? ""
        let isBase64 = content?["encoding"]?.string == "base64"
        let body = isBase64 ? Data(base64Encoded: bodyText) ?? Data() : Data(bodyText.utf8)
        return Entry(
            method: method, url: url, key: key(method, text, .standard), status: status, headers: headers, body: body)
    }

    private static func key(_ method: String, _ url: String, _ redaction: Redaction) -> String {
        "\(method) \(redaction.url(String(url.prefix { $0 != "#" })))"
    }

    /// Gives the recorded response; fails with ``HarReplayError`` where there is none.
    public func send(_ request: HttpRequest) -> Observer<HttpResponse> {
        let key = Self.key(request.method.rawValue, request.url.absoluteString, .standard)
        let found = entries.indices.filter { entries[$0].key == key }
        guard let last = found.last else {
            let known = Set(entries.map(\.key)).sorted().joined(separator: ", ")
            return .emit(error: HarReplayError("The HAR file has no response to \(key). It has: \(known)."))
        }
        var place = places.withLock { places in
            let next = found.first { $0 > places[key] ?? -1 } ?? last
            places[key] = next
            return next
        }
        while entries[place].isRedirect, place + 1 < entries.count { place += 1 }
        let entry = entries[place]
        let response = HttpResponse(
            request: request, url: entry.url, statusCode: entry.status, headers: entry.headers, data: entry.body)
        do {
            return .emit(data: try response.delivered())
        } catch {
            return .emit(error: error)
        }
    }
}

/// A HAR file can't be replayed, or has no response to a request.
public struct HarReplayError: NetChainFailure, CustomStringConvertible {
    /// What is wrong; secrets masked.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
