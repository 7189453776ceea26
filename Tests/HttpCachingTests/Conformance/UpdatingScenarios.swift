import HttpMessages
import Testing

/// RFC 9111 §3.2, §3.5, §4.1 and §4.3.5: what a later response says about who may get the stored one.
@Suite struct UpdatingScenarios {
    @Test(arguments: Array([scopes, stars, latest, signatures, errors, spaces].joined()))
    func isUpdatedAsTheSpecificationSays(_ scenario: Scenario) async throws {
        try await scenario.run()
    }

    private static let tag = ("ETag", "\"a\"")
    private static let user = [("Authorization", "a")]
    private static let other = [("Authorization", "b")]
    private static let digest = [("Authorization", "Digest nc=1")]

    private static func old(_ control: String, _ headers: [(String, String)] = user) -> Scenario.Step {
        .first([("Cache-Control", control), tag], headers: headers)
    }

    private static func head(_ response: [(String, String)], _ headers: [(String, String)] = user) -> Scenario.Step {
        .init(method: .head, headers: headers, response: response)
    }

    static let scopes: [Scenario] = [
        Scenario(
            "3.5", "a public response that becomes private is for its user", old("public, max-age=1"),
            .validated([("Cache-Control", "private, max-age=600")], headers: user),
            .then(.sent, headers: other, outgoing: [("If-None-Match", "")])),
        Scenario(
            "3.5", "and one that isn't public any more", old("public, max-age=1"),
            .validated([("Cache-Control", "max-age=600")], headers: user), .then(.sent, headers: other)),
        Scenario(
            "3.5", "a 304 without Cache-Control leaves it public", old("public, max-age=2"),
            .validated(headers: user), .then(.stored, headers: other)),
        Scenario(
            "4.3.5", "a HEAD says so, too", old("public, max-age=1"),
            head([("Cache-Control", "private, max-age=600")]), .then(.sent, headers: other)),
        Scenario(
            "3.5", "so does a new response that isn't stored", old("public, max-age=600"),
            .init(headers: digest, mode: .reload, response: [("Cache-Control", "max-age=600")]),
            .then(.sent, headers: other)),
    ]

    static let stars: [Scenario] = [
        Scenario(
            "4.1", "after a 304 with Vary: * no request matches", old("max-age=1", []),
            .validated([("Cache-Control", "max-age=600"), ("Vary", "*")]),
            .then(.sent, outgoing: [("If-None-Match", "")])),
        Scenario(
            "4.1", "after a HEAD with Vary: * neither", old("max-age=1", []),
            head([("Cache-Control", "max-age=600"), ("Vary", "*")], []), .then(.sent)),
        Scenario(
            "5.2.2.5", "a HEAD with no-store ends the storing", old("max-age=1", []),
            head([("Cache-Control", "no-store, max-age=600")], []), .then(.sent)),
        Scenario(
            "4.1", "a 304 that nominates a further header for another request",
            .first([("Cache-Control", "max-age=1"), ("Vary", "F"), tag], headers: [("F", "1")]),
            .validated(
                [("Cache-Control", "max-age=600"), ("Vary", "F, G"), tag], headers: [("F", "2"), ("G", "2")]),
            .then(.sent, headers: [("F", "1")])),
    ]

    static let latest: [Scenario] = [
        Scenario(
            "4.3.5", "a HEAD updates the latest response",
            .first([("Cache-Control", "max-age=1"), ("Vary", "F"), tag], headers: [("F", "1")]),
            .first([("Cache-Control", "max-age=1"), ("ETag", "\"b\"")], headers: [("F", "2")]),
            head([("Cache-Control", "max-age=600"), ("ETag", "\"b\"")], [("F", "1")]),
            .then(.stored, headers: [("F", "2")]))
    ]

    static let signatures: [Scenario] = ["Signature", "Signature-Input", "X-Request-Signature", "x-hub-signature"]
        .flatMap {
            name in
            [
                Scenario(
                    "3.5", "\(name) is of one request",
                    .first([("Cache-Control", "max-age=60")], headers: [(name, "a")]),
                    .then(.sent, headers: [(name, "a")])),
                Scenario(
                    "3.5", "\(name) gets what is public",
                    .first([("Cache-Control", "public, max-age=60")], headers: [(name, "a")]),
                    .then(.stored, headers: [(name, "b")])),
            ]
        }

    /// A response, and an error after it became stale.
    private static func error(_ status: Int, _ control: String, pause: Double = 3) -> [Scenario.Step] {
        [
            .first([("Cache-Control", "max-age=1")]),
            .first([("Cache-Control", control)], status: status, pause: pause),
        ]
    }

    static let errors: [Scenario] = [
        Scenario(
            "4.2.4", "an error that is stale at once replaces nothing",
            error(404, "max-age=0")
                + [.failing(.stale(.offline), .noNetwork, body: 1)]),
        Scenario(
            "4.2.4", "a server's error with freshness is served", error(503, "max-age=60") + [.then(.stored, body: 2)]),
        Scenario(
            "4.2.4", "after that the response offline is the former one",
            error(503, "max-age=1") + [.failing(.stale(.offline), .noNetwork, body: 1)]),
        Scenario(
            "4.2.4", "a stale error is not served offline",
            [.first([("Cache-Control", "max-age=1")], status: 404), .failing(.sent, .noNetwork)]),
        Scenario(
            "RFC 5861 §4", "nor after an error",
            [.first([("Cache-Control", "max-age=1, stale-if-error=60")], status: 410), .failing(.sent)]),
        Scenario(
            "4.3.3", "a response replaces the server's error",
            error(503, "max-age=1") + [
                .first([("Cache-Control", "max-age=60")]), .then(.stored, body: 3),
            ]),
    ]

    static let spaces: [Scenario] = [
        Scenario("5.2", "a blank before =", [("Cache-Control", "max-age =0"), ("Expires", "@+60")], .sent),
        Scenario("5.2", "a blank before = isn't a lifetime", [("Cache-Control", "max-age =60")], .sent),
        Scenario("5.2.2.4", "a blank before = of fields", [("Cache-Control", "max-age=60, no-cache =\"x\"")], .sent),
        Scenario(
            "5.2.1.3", "a min-fresh that is no number", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Cache-Control", "min-fresh=a")])),
    ]
}
