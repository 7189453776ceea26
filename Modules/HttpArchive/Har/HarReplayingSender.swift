public import HttpMessages
import Logging
import Models
public import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sender that replays the responses of a HAR file, of a ``HarRecorder`` or of another program, for tests. It doesn't use
/// the network.
///
/// A request gets the response that was recorded for its method and URL, with secrets masked in both by the rules of the
/// request. Several responses to one request are replayed in their order, and the last one is repeated. A redirect leads
/// to the next entry with its target. An entry with an error, or without its body, fails the request.
///
/// URLs are compared as RFC 3986 §6.2 says, without their fragments. An entry without a method or a URL with a host is
/// skipped.
public final class HarReplayingSender: RequestSender, TraitDeclaring {
    package let traits = SenderTraits()
    private let entries: [HarReplayEntry]
    private let state: Mutex<State>

    private struct State {
        /// The index of the last replayed entry, by method and address.
        var places: [String: Int] = [:]
        /// By the names that a redaction adds to the standard ones.
        var indices: [[[String]]: Index] = [:]
    }

    /// Where entries are, in ascending order, as one redaction masks their addresses.
    private struct Index {
        var byKey: [String: [Int]] = [:]
        var byAddress: [String: [Int]] = [:]
    }

    /// How many redactions have their index kept, the first ones. A client has one.
    private static let keptIndices = 8

    /// Creates a sender from the bytes of a HAR file.
    ///
    /// - Throws: ``HarReplayError`` for other bytes, and for a file all of whose entries are skipped.
    public init(har: Data) throws {
        // HAR 1.2 allows a byte order mark, JSON doesn't.
        let text = har.starts(with: [0xEF, 0xBB, 0xBF]) ? har.dropFirst(3) : har
        let json: Json
        do {
            json = try Json(parsing: text)
        } catch {
            throw HarReplayError("This is no HAR file. \(error)")
        }
        guard let log = json["log"], let all = log["entries"]?.array else {
            throw HarReplayError("This is no HAR file: it has no log with entries.")
        }
        entries = all.compactMap { HarReplayEntry($0) }
        if entries.isEmpty, !all.isEmpty {
            throw HarReplayError("No entry of the HAR file has a method and a URL with a host.")
        }
        state = Mutex(State())
    }

    /// Creates a sender from a HAR file.
    ///
    /// - Throws: ``HarReplayError`` for any other file; Foundation's error for a file that can't be read.
    public convenience init(file: URL) throws {
        try self.init(har: try Data(contentsOf: file))
    }

    /// Returns the recorded response.
    ///
    /// - Throws: ``HarReplayError`` when there is none, a `TransportError` when the body can't be written to its
    ///   destination.
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
        let redaction = request.options.redaction
        let index = index(for: redaction)
        let url = request.url.absoluteString
        let address = redaction.url(HarReplayEntry.address(of: url) ?? Redaction.standard.url(url))
        let key = "\(request.method.rawValue) \(address)"
        guard let found = index.byKey[key], let last = found.last else { throw missing(key, index) }
        var place = state.withLock { state in
            let next = found.first { $0 > state.places[key] ?? -1 } ?? last
            state.places[key] = next
            return next
        }
        while let target = entries[place].target.map(redaction.url) {
            guard let next = index.byAddress[target]?.first(where: { $0 > place }) else { break }
            place = next
        }
        let entry = entries[place]
        if let problem = entry.problem {
            throw HarReplayError("\(entry.method) \(redaction.url(entry.address)) \(problem).")
        }
        let response = HttpResponse(
            request: request, url: entry.url, status: entry.status, headers: entry.headers, data: entry.body)
        return try response.delivered()
    }

    /// The index for a redaction. It is made once, because masking thousands of addresses takes milliseconds.
    private func index(for redaction: Redaction) -> Index {
        let names = redaction.addedNames
        if let index = state.withLock({ $0.indices[names] }) { return index }
        var index = Index()
        for (place, entry) in entries.enumerated() {
            let address = names.isEmpty ? entry.address : redaction.url(entry.address)
            index.byKey["\(entry.method) \(address)", default: []].append(place)
            index.byAddress[address, default: []].append(place)
        }
        state.withLock { state in
            if state.indices.count < Self.keptIndices { state.indices[names] = index }
        }
        return index
    }

    private func missing(_ key: String, _ index: Index) -> HarReplayError {
        let known = index.byKey.keys.sorted()
        let shown = known.prefix(20).joined(separator: ", ")
        let rest = known.count > 20 ? " and \(known.count - 20) others" : ""
        return HarReplayError("The HAR file has no response to \(key). It has: \(shown)\(rest).")
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
