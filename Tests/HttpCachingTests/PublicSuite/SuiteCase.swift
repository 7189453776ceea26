import HttpMessages
import NetChainTestKit
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A case of the public suite (https://github.com/http-tests/cache-tests) with its name there, as far as it is for a
/// private cache.
struct SuiteCase: Sendable {
    enum Kind: Sendable {
        /// The RFC requires it.
        case required
        /// A good cache does it.
        case optimal
    }

    let name: String
    let kind: Kind
    let steps: [SuiteStep]

    static func required(_ name: String, _ steps: SuiteStep...) -> Self {
        Self(name: name, kind: .required, steps: steps)
    }
    static func optimal(_ name: String, _ steps: SuiteStep...) -> Self {
        Self(name: name, kind: .optimal, steps: steps)
    }
}

/// One request, the server's response, and what the cache must do.
struct SuiteStep: Sendable {
    /// Where the response comes from.
    enum Source: Sendable {
        case any
        case cache
        case server
        /// From the cache, after the server has confirmed its `ETag`.
        case validatedTag
        /// The same with `Last-Modified`.
        case validatedDate
    }

    var source = Source.any
    var method = HttpMethod.get
    var path = "/a"
    var request: [(String, String)] = []
    var mode = CacheMode.standard
    var status = 200
    /// `@+10` and `@-10` are dates in that many seconds.
    var response: [(String, String)] = []
    /// nil for the same text in each step.
    var body: String?
    /// Whether the server closes the connection instead.
    var isCut = false
    /// The status that the caller gets; nil for that of the server.
    var received: Int?
    /// Headers of the response that the caller gets. `>30` is a number above 30.
    var has: [(String, String)] = []
    var lacks: [String] = []
    /// Headers of the request that the server gets.
    var sent: [(String, String)] = []
    /// The text that the caller gets; nil for that of the server.
    var text: String?
    /// Seconds until the next step.
    var pause = 0.0

    /// A response that is stored, and a pause of three seconds.
    static func stored(
        _ response: [(String, String)], status: Int = 200, request: [(String, String)] = [], path: String = "/a",
        body: String? = nil, pause: Double = 3
    ) -> Self {
        Self(path: path, request: request, status: status, response: response, body: body, pause: pause)
    }

    /// The same request.
    static func then(
        _ source: Source, _ request: [(String, String)] = [], status: Int = 200, response: [(String, String)] = [],
        has: [(String, String)] = [], lacks: [String] = [], path: String = "/a", body: String? = nil
    ) -> Self {
        Self(
            source: source, path: path, request: request, status: status, response: response, body: body, has: has,
            lacks: lacks)
    }

    /// A fresh response, and a pause.
    static func fresh(
        _ headers: [(String, String)] = [], status: Int = 200, path: String = "/a", body: String? = nil
    ) -> Self {
        stored(
            [("Expires", "@+100000"), ("Cache-Control", "max-age=100000"), ("Last-Modified", "@+0"), ("Date", "@+0")]
                + headers, status: status, path: path, body: body)
    }

    /// A response that is stale after its pause.
    static func becomesStale(_ headers: [(String, String)] = []) -> Self {
        stored([("Cache-Control", "max-age=2"), ("Template-A", "1")] + headers)
    }
}

extension SuiteCase {
    /// Runs the case. Returns what was wrong; nil for nothing.
    func failure() async throws -> String? {
        let lab = CacheLab()
        for (index, step) in steps.enumerated() {
            let hasBody = ![204, 304].contains(step.status) && step.method != .head
            let text = hasBody ? step.body ?? "the text" : ""
            let isValidated = step.source == .validatedTag || step.source == .validatedDate
            lab.answers(isValidated ? 304 : step.status, step.response, body: isValidated ? "" : text)
            if step.isCut { lab.fails(.connectionLost) }
            let (before, flights) = (lab.sent.count, lab.cache.flights.ended)
            let request = try lab.request(step.method, step.path, step.request, step.mode)
            if let response = try? await lab.sender.send(request) {
                if let wrong = step.failure(response, lab, sent: lab.sent.count - before, text: text) {
                    return "step \(index + 1): \(wrong)"
                }
                if case .stale(_, .whileRevalidating) = response.cache {
                    await eventually("it is validated") { lab.cache.flights.ended > flights }
                }
            } else if !step.isCut || step.source == .cache {
                return "step \(index + 1) failed"
            }
            lab.wait(step.pause)
        }
        return nil
    }
}

extension SuiteStep {
    fileprivate func failure(_ response: HttpResponse, _ lab: CacheLab, sent count: Int, text: String) -> String? {
        let outgoing = lab.sent.last?.headers ?? [:]
        switch source {
        case .any: break
        case .cache: if response.cache?.age == nil { return "it isn't from the cache" }
        case .server: if count != 1 || response.cache?.age != nil { return "it is from the cache" }
        case .validatedTag: if count != 1 || outgoing["If-None-Match"] == nil { return "the tag wasn't validated" }
        case .validatedDate:
            if count != 1 || outgoing["If-Modified-Since"] == nil { return "the date wasn't validated" }
        }
        if isCut, source != .cache, response.cache?.age != nil { return "it is from the cache" }
        if response.status != received ?? status { return "the status is \(response.status)" }
        for (name, value) in has {
            let found = response.headers.values(of: name).joined(separator: ", ")
            if value.hasPrefix(">"), let least = Double(value.dropFirst()) {
                if Double(found) ?? 0 <= least { return "\(name) is \(found)" }
            } else if found != lab.dated(value) {
                return "\(name) is \"\(found)\""
            }
        }
        for name in lacks where response.headers[name] != nil { return "it has \(name)" }
        for (name, value) in sent where outgoing[name] != value { return "\(name) wasn't sent" }
        let expected = self.text ?? (source == .validatedTag || source == .validatedDate ? body ?? "the text" : text)
        return method == .head || response.text == expected ? nil : "the body is \"\(response.text)\""
    }
}
