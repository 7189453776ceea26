/// How long a response is fresh: the groups `cc-freshness`, `cc-parse`, `age-parse`, `expires`, `expires-parse` and
/// `heuristic` of the suite.
extension SuiteCase {
    private typealias Headers = [(String, String)]

    /// A response, and where the same request's comes from.
    private static func required(_ name: String, _ source: SuiteStep.Source, _ response: Headers) -> Self {
        required(name, .stored(response), .then(source))
    }

    private static func reused(_ name: String, _ response: Headers) -> Self {
        optimal(name, .stored(response), .then(.cache))
    }

    static let cacheControl: [SuiteCase] = [
        reused("freshness-max-age", [("Cache-Control", "max-age=3600")]),
        required("freshness-max-age-stale", .becomesStale(), .then(.server)),
        required("freshness-max-age-0", .server, [("Cache-Control", "max-age=0")]),
        reused("freshness-max-age-max-minus-1", [("Cache-Control", "max-age=2147483647")]),
        reused("freshness-max-age-max", [("Cache-Control", "max-age=2147483648")]),
        reused("freshness-max-age-max-plus-1", [("Cache-Control", "max-age=2147483649")]),
        reused("freshness-max-age-max-plus", [("Cache-Control", "max-age=99999999999")]),
        required(
            "freshness-max-age-age", .server, [("Date", "@+0"), ("Cache-Control", "max-age=3600"), ("Age", "7200")]),
        reused(
            "freshness-max-age-expires",
            [("Cache-Control", "max-age=3600"), ("Expires", "@-7200"), ("Date", "@+0")]),
        reused(
            "freshness-max-age-expires-invalid",
            [("Cache-Control", "max-age=3600"), ("Expires", "0"), ("Date", "@+0")]),
        required(
            "freshness-max-age-0-expires", .server,
            [("Expires", "@+3600"), ("Cache-Control", "max-age=0"), ("Date", "@+0")]),
        reused("freshness-max-age-extension", [("Cache-Control", "foobar, max-age=3600")]),
        reused("freshness-max-age-case-insenstive", [("Cache-Control", "MaX-aGe=3600")]),
        required("freshness-max-age-negative", .server, [("Cache-Control", "max-age=-3600")]),
        required("freshness-max-age-s-maxage-private", .server, [("Cache-Control", "s-maxage=3600, max-age=1")]),
        required(
            "freshness-max-age-s-maxage-private-multiple", .server,
            [("Cache-Control", "s-maxage=3600"), ("Cache-Control", "max-age=1")]),
        required(
            "freshness-max-age-ignore-quoted", .server, [("Cache-Control", "extension=\"max-age=3600\", max-age=1")]),
        required(
            "freshness-max-age-ignore-quoted-rev", .server,
            [("Cache-Control", "max-age=1, extension=\"max-age=3600\"")]),
        required("freshness-max-age-leading-zero", .cache, [("Cache-Control", "max-age=003600")]),
        required("freshness-max-age-single-quoted", .server, [("Cache-Control", "max-age='3600'")]),
    ]

    private static func aged(_ name: String, _ source: SuiteStep.Source, _ values: String..., life: Int = 3600) -> Self
    {
        required(
            "age-parse-" + name, source,
            [("Date", "@+0"), ("Cache-Control", "max-age=\(life)")] + values.map { ("Age", $0) })
    }

    static let age: [SuiteCase] = [
        aged("nonnumeric", .cache, "abc"),
        aged("negative", .cache, "-7200"),
        aged("float", .cache, "7200.0"),
        aged("large-minus-one", .server, "2147483647"),
        aged("large", .server, "2147483648"),
        aged("larger", .server, "2147483649"),
        aged("suffix", .server, "7200, 0"),
        aged("prefix", .cache, "0, 7200"),
        aged("suffix-twoline", .server, "7200", "0"),
        aged("prefix-twoline", .cache, "0", "7200"),
        aged("dup-0", .cache, "0, 0"),
        aged("dup-0-twoline", .cache, "0", "0"),
        aged("dup-old", .cache, "3600", "3600", life: 10000),
    ]

    private static let month = 30 * 86_400

    static let expires: [SuiteCase] = [
        reused("freshness-expires-future", [("Expires", "@+\(month)"), ("Date", "@+0")]),
        required("freshness-expires-past", .server, [("Expires", "@-\(month)"), ("Date", "@+0")]),
        required(
            "freshness-expires-present", .stored([("Expires", "@+0"), ("Date", "@+0")], pause: 0), .then(.server)),
        required("freshness-expires-old-date", .server, [("Expires", "@+300"), ("Date", "@+400")]),
        required("freshness-expires-invalid", .server, [("Expires", "0"), ("Date", "@+0")]),
        optimal(
            "freshness-expires-invalid-date", .stored([("Date", "foo"), ("Expires", "@+10")], pause: 0), .then(.cache)),
        required(
            "freshness-expires-age-slow-date",
            .stored([("Date", "@-10"), ("Expires", "@+10"), ("Age", "25")], pause: 0), .then(.server)),
        required(
            "freshness-expires-age-fast-date",
            .stored([("Date", "@+10"), ("Expires", "@+20"), ("Age", "15")], pause: 0), .then(.server)),
    ]

    private static func dated(_ name: String, _ source: SuiteStep.Source, _ values: String...) -> Self {
        SuiteCase(
            name: "freshness-expires-" + name, kind: source == .cache ? .optimal : .required,
            steps: [.stored(values.map { ("Expires", $0) } + [("Date", "@+0")]), .then(source)])
    }

    static let expiresForms: [SuiteCase] = [
        dated("32bit", .cache, "Tue, 19 Jan 2038 14:14:08 GMT"),
        dated("far-future", .cache, "Sun, 21 Nov 2286 04:46:39 GMT"),
        dated("rfc850", .cache, "Thursday, 18-Aug-50 02:01:18 GMT"),
        dated("ansi-c", .cache, "Thu Aug  8 02:01:18 2050"),
        dated("wrong-case-weekday", .cache, "THU, 18 Aug 2050 02:01:18 GMT"),
        dated("wrong-case-month", .cache, "Thu, 18 AUG 2050 02:01:18 GMT"),
        dated("wrong-case-tz", .cache, "Thu, 18 Aug 2050 02:01:18 gMT"),
        dated("invalid-utc", .server, "Thu, 18 Aug 2050 02:01:18 UTC"),
        dated("invalid-aest", .server, "Thu, 18 Aug 2050 02:01:18 AEST"),
        dated("invalid-2-digit-year", .server, "Thu, 18 Aug 50 02:01:18 GMT"),
        dated("invalid-no-comma", .server, "Thu 18 Aug 2050 02:01:18 GMT"),
        dated("invalid-multiple-spaces", .server, "Thu, 18  Aug  2050 02:01:18 GMT"),
        dated("invalid-date-dashes", .server, "Thu, 18-Aug-2050 02:01:18 GMT"),
        dated("invalid-time-periods", .server, "Thu, 18 Aug 2050 02.01.18 GMT"),
        dated("invalid-1-digit-hour", .server, "Thu, 18 Aug 2050 2:01:18 GMT"),
        dated(
            "invalid-multiple-lines", .server, "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 2:01:19 GMT"),
    ]

    static let heuristic: [SuiteCase] =
        [200, 203, 204, 404, 405, 410, 414, 501].map { heuristic($0, .cache) }
        + [201, 202, 403, 502, 503, 504, 599].map { heuristic($0, .server) }
        + [heuristic(599, .cache, [("Cache-Control", "public")])]

    private static func heuristic(_ status: Int, _ source: SuiteStep.Source, _ added: Headers = []) -> Self {
        SuiteCase(
            name: "heuristic-\(status)-\(source == .cache ? "" : "not_")cached",
            kind: source == .cache ? .optimal : .required,
            steps: [
                .stored([("Last-Modified", "@-86400"), ("Date", "@+0")] + added, status: status, pause: 0),
                .then(source, status: status),
            ])
    }
}
