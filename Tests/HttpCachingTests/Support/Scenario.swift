import HttpMessages
import Testing

@testable import HttpCaching

/// One fact of a specification as a sequence of requests.
struct Scenario: Sendable, CustomTestStringConvertible {
    /// What must happen with a request.
    enum Expected: Sendable {
        /// It is sent as it is.
        case sent
        /// A stored, fresh response is served.
        case stored
        /// A stale response is served.
        case stale
        /// It is sent with validators, and the stored body is served.
        case validated
        /// The cache responds with 504.
        case failed
    }

    struct Step: Sendable {
        var method = HttpMethod.get
        var path = "/a"
        var headers: [(String, String)] = []
        var mode = CacheMode.standard
        var status = 200
        var response: [(String, String)] = []
        var failure: TransportError.Code?
        var expected = Expected.sent
        /// Headers of the response; an empty value for one that must be missing.
        var received: [(String, String)] = []
        /// Headers of the request that was sent; an empty value for one that must be missing.
        var outgoing: [(String, String)] = []
        var pause = 0.0
    }

    let section: String
    let name: String
    let steps: [Step]

    var testDescription: String { "\(section) \(name)" }

    init(_ section: String, _ name: String, _ steps: Step...) {
        self.section = section
        self.name = name
        self.steps = steps
    }

    /// A first response, and what becomes of the same request after a pause.
    init(
        _ section: String, _ name: String, _ response: [(String, String)], status: Int = 200, after pause: Double = 3,
        _ expected: Expected
    ) {
        self.init(
            section, name, .first(response, status: status, pause: pause),
            expected == .validated ? .validated() : Step(response: [], expected: expected))
    }
}

extension Scenario.Step {
    /// A response that is stored or not.
    static func first(
        _ response: [(String, String)], status: Int = 200, path: String = "/a", headers: [(String, String)] = [],
        pause: Double = 3
    ) -> Self {
        Self(path: path, headers: headers, status: status, response: response, pause: pause)
    }

    /// The request, and whether it is served from the cache.
    static func then(
        _ expected: Scenario.Expected, path: String = "/a", headers: [(String, String)] = [],
        mode: CacheMode = .standard, received: [(String, String)] = [], outgoing: [(String, String)] = []
    ) -> Self {
        Self(
            path: path, headers: headers, mode: mode, expected: expected, received: received, outgoing: outgoing)
    }

    /// A request that the server answers with 304.
    static func validated(
        _ response: [(String, String)] = [], headers: [(String, String)] = [], mode: CacheMode = .standard,
        received: [(String, String)] = [], outgoing: [(String, String)] = [], pause: Double = 0
    ) -> Self {
        Self(
            headers: headers, mode: mode, status: 304, response: response, expected: .validated, received: received,
            outgoing: outgoing, pause: pause)
    }

    /// A request that fails at the server: with a status, or without a response.
    static func failing(
        _ expected: Scenario.Expected, status: Int = 503, _ failure: TransportError.Code? = nil,
        headers: [(String, String)] = [], mode: CacheMode = .standard
    ) -> Self {
        Self(headers: headers, mode: mode, status: status, failure: failure, expected: expected)
    }
}

extension Scenario {
    func run() async throws {
        let lab = CacheLab()
        var bodies: [String] = []
        for (index, step) in steps.enumerated() {
            let place: Comment = "step \(index + 1) of \(testDescription)"
            let body = step.status == 204 ? "" : "body \(index)"
            lab.answers(step.status, step.response, body: [204, 304].contains(step.status) ? "" : body)
            if let failure = step.failure { lab.fails(failure) }
            let before = lab.sent.count
            let request = try lab.request(step.method, step.path, step.headers, step.mode)
            let response: HttpResponse
            do {
                response = try await lab.sender.send(request)
            } catch let error as TransportError {
                #expect(step.expected == .sent && error.code == step.failure, place)
                continue
            }
            let count = lab.sent.count - before
            switch step.expected {
            case .sent:
                #expect(count == 1 && response.status == step.status, place)
                if step.method == .get, step.status != 304 { #expect(response.text == body, place) }
            case .stored:
                #expect(count == 0, place)
                #expect(response.cache?.age != nil && response.cache.map { !$0.isStale } == true, place)
            case .stale: #expect(response.cache?.isStale == true, place)
            case .validated: #expect(count == 1 && response.cache == .revalidated && response.status != 304, place)
            case .failed: #expect(count == 0 && response.status == 504, place)
            }
            if step.expected == .stored || step.expected == .stale || step.expected == .validated, step.method == .get {
                #expect(bodies.contains(response.text), place)
            }
            bodies.append(body)
            for (name, value) in step.received { #expect(response.headers[name] ?? "" == value, place) }
            for (name, value) in step.outgoing { #expect(lab.sent.last?.headers[name] ?? "" == value, place) }
            lab.wait(step.pause)
        }
    }
}

extension CacheOutcome {
    var isStale: Bool {
        if case .stale = self { true } else { false }
    }
}
