import HttpMessages
import NodeCore
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
        /// A stale response is served, for this reason.
        case stale(CacheOutcome.StaleReason)
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
        /// The number of the step, from 1, whose body is served; nil for the last one with this path that was sent.
        var body: Int?

        /// Whether the server's body of this step may be served later.
        fileprivate var hasBody: Bool {
            guard case .sent = expected else { return false }
            return method == .get && status != 304 && failure == nil
        }
    }

    let section: String
    let name: String
    let steps: [Step]

    var testDescription: String { "\(section) \(name)" }

    init(_ section: String, _ name: String, _ steps: Step...) {
        self.init(section, name, steps)
    }

    init(_ section: String, _ name: String, _ steps: [Step]) {
        self.section = section
        self.name = name
        self.steps = steps
    }

    /// A first response, and what becomes of the same request after a pause.
    init(
        _ section: String, _ name: String, _ response: [(String, String)], status: Int = 200, after pause: Double = 3,
        _ expected: Expected
    ) {
        let isValidated = if case .validated = expected { true } else { false }
        self.init(
            section, name, .first(response, status: status, pause: pause),
            isValidated ? .validated() : Step(response: [], expected: expected))
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
        mode: CacheMode = .standard, received: [(String, String)] = [], outgoing: [(String, String)] = [],
        body: Int? = nil
    ) -> Self {
        Self(
            path: path, headers: headers, mode: mode, expected: expected, received: received, outgoing: outgoing,
            body: body)
    }

    /// A request that the server answers with 304.
    static func validated(
        _ response: [(String, String)] = [], headers: [(String, String)] = [], mode: CacheMode = .standard,
        received: [(String, String)] = [], outgoing: [(String, String)] = [], pause: Double = 0, body: Int? = nil
    ) -> Self {
        Self(
            headers: headers, mode: mode, status: 304, response: response, expected: .validated, received: received,
            outgoing: outgoing, pause: pause, body: body)
    }

    /// A request that fails at the server: with a status, or without a response.
    static func failing(
        _ expected: Scenario.Expected, status: Int = 503, _ failure: TransportError.Code? = nil,
        headers: [(String, String)] = [], mode: CacheMode = .standard, body: Int? = nil
    ) -> Self {
        Self(headers: headers, mode: mode, status: status, failure: failure, expected: expected, body: body)
    }
}

extension Scenario {
    func run() async throws {
        let lab = CacheLab()
        for (index, step) in steps.enumerated() {
            let place: Comment = "step \(index + 1) of \(testDescription)"
            lab.answers(
                step.status, step.response, body: [204, 304].contains(step.status) ? "" : body(of: index))
            if let failure = step.failure { lab.fails(failure) }
            let before = lab.sent.count
            let outcome = await Outcome.of {
                try await lab.sender.send(lab.request(step.method, step.path, step.headers, step.mode))
            }
            let count = lab.sent.count - before
            if case .sent = step.expected, let failure = step.failure {
                #expect(count == 1 && (outcome.error as? TransportError)?.code == failure, place)
            } else {
                check(try outcome.get(), step, index, count, place)
            }
            for (name, value) in step.outgoing { #expect(lab.sent.last?.headers[name] ?? "" == value, place) }
            lab.wait(step.pause)
        }
    }

    private func check(_ response: HttpResponse, _ step: Step, _ index: Int, _ count: Int, _ place: Comment) {
        switch step.expected {
        case .sent:
            #expect(count == 1 && response.status == step.status, place)
            if step.method == .get, step.status != 304 { #expect(response.text == body(of: index), place) }
        case .stored:
            #expect(count == 0, place)
            #expect(response.cache?.age != nil && response.cache.map { !$0.isStale } == true, place)
        case .stale(let reason):
            #expect(count == (reason == .accepted ? 0 : 1), place)
            #expect(response.cache?.reason == reason, place)
        case .validated: #expect(count == 1 && response.cache == .revalidated && response.status != 304, place)
        case .failed: #expect(count == 0 && response.status == 504, place)
        }
        if response.cache?.isStored == true, step.method == .get {
            let served = step.body.map { $0 - 1 } ?? lastBody(before: index)
            #expect(response.text == served.map { body(of: $0) }, place)
        }
        for (name, value) in step.received { #expect(response.headers[name] ?? "" == value, place) }
    }

    private func body(of index: Int) -> String { steps[index].status == 204 ? "" : "body \(index)" }

    private func lastBody(before index: Int) -> Int? {
        func path(_ step: Step) -> Substring { step.path.prefix { $0 != "#" } }
        return steps[..<index].lastIndex { $0.hasBody && path($0) == path(steps[index]) }
    }
}

extension CacheOutcome {
    var isStale: Bool { reason != nil }

    /// Why it is stale.
    var reason: StaleReason? {
        if case .stale(_, let reason) = self { reason } else { nil }
    }
}
