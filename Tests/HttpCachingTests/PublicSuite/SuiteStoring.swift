import HttpMessages

/// What is stored, and for which requests: the groups `cc-response`, `status`, `vary`, `vary-parse`, `headers` and
/// `other` of the suite.
extension SuiteCase {
    private typealias Headers = [(String, String)]

    static let directives: [SuiteCase] = [
        now(.optimal, "cc-resp-private-private", [("Cache-Control", "private, max-age=3600")], .cache),
        now(.required, "cc-resp-no-store", [("Cache-Control", "no-store")], .server),
        now(.required, "cc-resp-no-store-case-insensitive", [("Cache-Control", "No-StOrE")], .server),
        now(.required, "cc-resp-no-store-fresh", dated + [("Cache-Control", "max-age=10000, no-store")], .server),
        replaced("cc-resp-no-store-old-new", by: "no-store"),
        replaced("cc-resp-no-store-old-max-age", by: "no-store, max-age=0"),
        now(.required, "cc-resp-no-cache", dated + [("Cache-Control", "max-age=10000, no-cache")], .server),
        now(
            .required, "cc-resp-no-cache-case-insensitive", dated + [("Cache-Control", "max-age=10000, No-CaChE")],
            .server),
        now(
            .optimal, "cc-resp-no-cache-revalidate", [("Cache-Control", "no-cache"), ("ETag", "\"abcd\"")],
            .validatedTag),
        now(
            .optimal, "cc-resp-no-cache-revalidate-fresh",
            dated + [("Cache-Control", "max-age=10000, no-cache"), ("ETag", "\"abcd\"")], .validatedTag),
        now(
            .optimal, "cc-resp-must-revalidate-fresh",
            [("Cache-Control", "max-age=10000, must-revalidate"), ("ETag", "\"abcd\"")], .cache),
        required(
            "cc-resp-must-revalidate-stale",
            .stored([("Cache-Control", "max-age=2, must-revalidate"), ("ETag", "\"abcd\"")], pause: 0),
            SuiteStep(source: .cache, pause: 3), .then(.validatedTag)),
        optimal(
            "cc-resp-immutable-fresh", .stored([("Cache-Control", "max-age=10000, immutable"), ("ETag", "\"abcd\"")]),
            SuiteStep(source: .cache, mode: .revalidate)),
        required(
            "cc-resp-immutable-stale", .stored([("Cache-Control", "max-age=2, immutable"), ("ETag", "\"abcd\"")]),
            SuiteStep(source: .validatedTag, mode: .revalidate)),
    ]

    private static let dated: Headers = [("Expires", "@+10000"), ("Date", "@+0")]

    private static func now(_ kind: Kind, _ name: String, _ response: Headers, _ source: SuiteStep.Source) -> Self {
        SuiteCase(name: name, kind: kind, steps: [.stored(response, pause: 0), .then(source)])
    }

    /// The second response is only received if a cache didn't store the first one.
    private static func replaced(_ name: String, by directives: String) -> Self {
        required(
            name, .stored(dated + [("Cache-Control", "max-age=10000"), ("A", "1")]),
            .stored([("Cache-Control", directives), ("Date", "@+0"), ("A", "2")]), .then(.cache, has: [("A", "1")]))
    }

    // MARK: - Statuses

    private static let codes = [
        200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599,
    ]
    private static let passed: Headers = [("Expires", "@-5000"), ("Last-Modified", "@-100000"), ("Date", "@+0")]
    private static let understood: Headers = [("Cache-Control", "max-age=3600, no-store, must-understand")]

    static let statuses: [SuiteCase] =
        codes.map { optimal("status-\($0)-fresh", .fresh(status: $0), .then(.cache, status: $0)) }
        + codes.map { required("status-\($0)-stale", .stored(passed, status: $0, pause: 0), .then(.server)) }
        + [
            required(
                "status-599-must-understand", .stored(understood, status: 599, pause: 0), .then(.server)),
            now(.optimal, "status-200-must-understand", understood, .cache),
        ]

    // MARK: - Vary

    private static func vary(_ names: String...) -> Headers {
        [("Cache-Control", "max-age=5000"), ("Last-Modified", "@-3000"), ("Date", "@+0")] + names.map { ("Vary", $0) }
    }

    private static func varied(
        _ kind: Kind, _ name: String, _ vary: String, _ first: Headers, _ source: SuiteStep.Source, _ second: Headers
    ) -> Self {
        SuiteCase(
            name: "vary-" + name, kind: kind,
            steps: [.stored(Self.vary(vary), request: first, pause: 0), .then(source, second)])
    }

    private static let (foo1, foo2, bar, baz) = (("Foo", "1"), ("Foo", "2"), ("Bar", "abc"), ("Baz", "789"))

    static let variants: [SuiteCase] = [
        varied(.optimal, "match", "Foo", [foo1], .cache, [foo1]),
        varied(.required, "no-match", "Foo", [foo1], .server, [foo2]),
        varied(.required, "omit-stored", "Foo", [], .server, [foo1]),
        varied(.required, "omit", "Foo", [foo1], .server, []),
        optimal(
            "vary-invalidate", .stored(vary("Foo"), request: [foo1], body: "foo 1", pause: 0),
            .then(.server, [foo2], response: vary("Foo"), body: "foo 2"), .then(.cache, [foo1], body: "foo 1")),
        varied(.optimal, "cache-key", "Foo", [foo1, ("Other", "2")], .cache, [foo1, ("Other", "3")]),
        varied(.optimal, "2-match", "Foo, Bar", [foo1, bar], .cache, [foo1, bar]),
        varied(.required, "2-no-match", "Foo, Bar", [foo1, bar], .server, [foo2, bar]),
        varied(.required, "2-match-omit", "Foo, Bar", [foo1, bar], .server, []),
        varied(.optimal, "3-match", "Foo, Bar, Baz", [foo1, bar, baz], .cache, [foo1, bar, baz]),
        varied(.required, "3-no-match", "Foo, Bar, Baz", [foo1, bar, baz], .server, [foo2, bar, baz]),
        varied(.required, "3-order", "Foo, Bar, Baz", [foo1, bar, baz], .server, [foo1, baz, ("Bar", "abcde")]),
        varied(.optimal, "3-omit", "Foo, Bar, Baz", [foo1, baz], .cache, [foo1, baz]),
        varied(.required, "star", "*", [foo1, baz], .server, [foo1, baz]),
        varied(.optimal, "normalise-combine", "Foo", [("Foo", "1, 2")], .cache, [foo1, foo2]),
        languages("order", "de, en"),
        languages("case", "eN, De"),
        languages("space", " en ,   de"),
        optimal(
            "vary-normalise-lang-select",
            .stored(
                vary("Accept-Language") + [("Content-Language", "de")], request: [("Accept-Language", "en, de")],
                pause: 0), .then(.cache, [("Accept-Language", "fr;q=0.5, de;q=1.0")])),
        varied(.optimal, "normalise-space", "Foo", [("Foo", "1,2")], .cache, [("Foo", " 1, 2 ")]),
        stars("star", "*"), stars("star-star", "*, *"), stars("star-star-lines", "*", "*"), stars("empty-star", ", *"),
        stars("empty-star-lines", "", "*"), stars("star-foo", "*, Foo"), stars("foo-star", "Foo, *"),
    ]

    private static func languages(_ name: String, _ second: String) -> Self {
        varied(
            .optimal, "normalise-lang-" + name, "Accept-Language", [("Accept-Language", "en, de")], .cache,
            [("Accept-Language", second)])
    }

    private static func stars(_ name: String, _ values: String...) -> Self {
        required(
            "vary-syntax-" + name,
            .stored(
                [("Cache-Control", "max-age=5000"), ("Last-Modified", "@-3000"), ("Date", "@+0")]
                    + values.map { ("Vary", $0) }, request: [foo1, baz], pause: 0), .then(.server, [foo1, baz]))
    }

    // MARK: - Other rules

    static let others: [SuiteCase] = [
        required("other-age-gen", .fresh(), .then(.cache, has: [("Age", ">2")])),
        required(
            "other-age-update-expires",
            .stored([("Expires", "@+2592000"), ("Date", "@+0"), ("Age", "30")]), .then(.cache, has: [("Age", ">32")])),
        required("other-age-update-max-age", .fresh([("Age", "30")]), .then(.cache, has: [("Age", ">32")])),
        required("other-date-update", .fresh(), .then(.cache, has: [("Date", "@-3")])),
        required(
            "other-date-update-expires", .stored([("Expires", "@+2592000"), ("Date", "@+0")]),
            .then(.cache, has: [("Date", "@-3")])),
        required("query-args-different", .fresh(path: "/a?test=1"), .then(.server, path: "/a?test=2")),
        optimal("query-args-same", .fresh(path: "/a?test=1"), .then(.cache, path: "/a?test=1")),
        optimal("other-set-cookie", .fresh([("Set-Cookie", "a=b")]), .then(.cache)),
        optimal("other-cookie", .fresh(), .then(.cache, [("Cookie", "a=b")])),
    ]
}
