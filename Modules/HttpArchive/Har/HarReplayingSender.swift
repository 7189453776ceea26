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

/// A sender that replays the responses of a HAR file, for tests. It doesn't use the network.
///
/// A request gets the response that was recorded for its method and URL, with secrets masked in both by the rules of the
/// request. Several responses to one request are replayed in their order, and the last one is repeated. A redirect leads
/// to the next entry with its target. An entry with an error, or without its body, fails the request.
public final class HarReplayingSender: RequestSender {
    private struct Entry: Sendable {
        let method: String
        let url: URL
        /// The URL without its fragment, masked by the standard rules.
        let address: String
        let status: Int
        let headers: HttpHeaders
        let body: Data
        /// Why the entry can't be replayed; nil when it can.
        let problem: String?

        /// The method and the URL, masked by `redaction`, too.
        func key(_ redaction: Redaction) -> String { "\(method) \(redaction.url(address))" }

        /// The target of a redirect; nil for other responses.
        var target: String? {
            guard [301, 302, 303, 307, 308].contains(status), let location = headers["Location"] else { return nil }
            return RedirectRule.target(of: location, from: url)?.absoluteString
        }
    }

    private let entries: [Entry]
    /// The index of the last replayed entry, by method and URL.
    private let places = Mutex<[String: Int]>([:])

    /// Creates a sender from the bytes of a HAR file.
    ///
    /// - Throws: ``HarReplayError`` for other bytes.
    public init(har: Data) throws {
        // HAR 1.2 allows a byte order mark, JSON doesn't.
        let text = har.starts(with: [0xEF, 0xBB, 0xBF]) ? har.dropFirst(3) : har
        guard let log = try? Json(parsing: text)["log"], let entries = log["entries"]?.array else {
            throw HarReplayError("This is no HAR file: it has no log with entries.")
        }
        self.entries = try entries.enumerated().map { index, entry in
            guard let entry = Self.entry(entry) else {
                throw HarReplayError("Entry \(index) of the HAR file has no method, URL or status.")
            }
            return entry
        }
    }

    /// Creates a sender from a HAR file.
    ///
    /// - Throws: ``HarReplayError`` for any other file; Foundation's error for a file that can't be read.
    public convenience init(file: URL) throws {
        try self.init(har: try Data(contentsOf: file))
    }

    private static func entry(_ json: Json) -> Entry? {
        guard let method = json["request"]?["method"]?.string, let address = json["request"]?["url"]?.string,
            !address.isEmpty, let url = URL(parsing: address),
            let response = json["response"], let status = response["status"]?.int
        else { return nil }
        var headers = HttpHeaders()
        for field in response["headers"]?.array ?? [] {
            guard let name = field["name"]?.string, let value = field["value"]?.string else { continue }
            headers.add(name: name, value: value)
        }
        let content = response["content"]
        let text = content?["text"]?.string
        let body =
            content?["encoding"]?.string == "base64" ? text.map { Data(base64Encoded: $0) } : text.map { Data($0.utf8) }
        var problem: String?
        if let error = (json["_error"] ?? response["_error"])?.string {
            problem = "was recorded with an error: \(error)"
        } else if status == 0 {
            problem = "was recorded without a response"
        } else if body == .some(nil) {
            problem = "has a body that is no Base64"
        } else if text == nil, (content?["size"]?.int ?? 0) > 0 {
            problem = "was recorded without its body: a recorder keeps it with bodies: .upTo(bytes:)"
        }
        return Entry(
            method: method, url: url, address: masked(address), status: status, headers: headers,
            body: (body ?? nil) ?? Data(), problem: problem)
    }

    private static func masked(_ url: String) -> String {
        Redaction.standard.url(String(url.prefix { $0 != "#" }))
    }

    /// Returns the recorded response. The observer fails with ``HarReplayError`` when there is none, and with a
    /// `TransportError` when the body can't be written to its destination.
    public func send(_ request: HttpRequest) -> Observer<HttpResponse> {
        let redaction = request.options.redaction
        let key = "\(request.method.rawValue) \(redaction.url(Self.masked(request.url.absoluteString)))"
        let keys = entries.map { $0.key(redaction) }
        let found = keys.indices.filter { keys[$0] == key }
        guard let last = found.last else {
            let known = Set(keys).sorted().joined(separator: ", ")
            return .emit(error: HarReplayError("The HAR file has no response to \(key). It has: \(known)."))
        }
        var place = places.withLock { places in
            let next = found.first { $0 > places[key] ?? -1 } ?? last
            places[key] = next
            return next
        }
        while let target = entries[place].target.map({ redaction.url(Self.masked($0)) }) {
            let next = keys.indices.first { $0 > place && keys[$0].hasSuffix(" \(target)") }
            guard let next else { break }
            place = next
        }
        let entry = entries[place]
        if let problem = entry.problem { return .emit(error: HarReplayError("\(keys[place]) \(problem).")) }
        let response = HttpResponse(
            request: request, url: entry.url, statusCode: entry.status, headers: entry.headers, data: entry.body)
        do {
            return .emit(data: try response.delivered())
        } catch {
            return .emit(error: error)
        }
    }
}

/// The error of a HAR file that can't be replayed, or has no response to a request.
public struct HarReplayError: NetChainFailure, CustomStringConvertible {
    /// The reason, with secrets masked.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
