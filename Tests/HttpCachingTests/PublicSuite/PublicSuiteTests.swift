import Testing

@testable import HttpCaching

/// The public suite of tests for HTTP caches, as far as it is for a private one.
@Suite struct PublicSuiteTests {
    /// The cases that fail, and why.
    private static let unmet = [
        "other-cookie": "a Cookie is a credential: its response is another user's",
        "partial-store-partial-reuse-partial": "a 206 isn't stored",
        "partial-store-partial-reuse-partial-byterange": "a 206 isn't stored",
        "partial-store-partial-reuse-partial-absent": "a 206 isn't stored",
        "partial-store-partial-reuse-partial-suffix": "a 206 isn't stored",
        "partial-store-partial-complete": "a 206 isn't stored",
        "vary-normalise-lang-order": "some servers take the order for a priority",
        "vary-normalise-lang-select": "the server selects a language",
    ]

    @Test func passesTheRequiredCasesAndNineOfTenOptimalOnes() async throws {
        var failures: [String: String] = [:]
        for suiteCase in SuiteCase.all {
            if let failure = try await suiteCase.failure() { failures[suiteCase.name] = failure }
        }
        for name in failures.keys.sorted() where Self.unmet[name] == nil {
            Issue.record("\(name): \(failures[name] ?? "")")
        }
        for name in Self.unmet.keys.sorted() where failures[name] == nil { Issue.record("\(name) passes now") }
        let required = SuiteCase.all.filter { $0.kind == .required }
        let optimal = SuiteCase.all.filter { $0.kind == .optimal }
        #expect(required.count == 142 && required.count { failures[$0.name] == nil } == 142)
        #expect(optimal.count == 82 && optimal.count { failures[$0.name] == nil } == 74)
        #expect(Set(SuiteCase.all.map(\.name)).count == SuiteCase.all.count)
    }
}
