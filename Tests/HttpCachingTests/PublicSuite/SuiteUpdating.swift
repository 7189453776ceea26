import HttpMessages

/// Validation, updates, invalidation, stale responses and ranges: the groups `conditional`, `headers`, `update304`,
/// `invalidation`, `stale`, `partial` and `method` of the suite.
extension SuiteCase {
    private typealias Headers = [(String, String)]

    static let conditions: [SuiteCase] = [
        required(
            "conditional-etag-vary-headers",
            .stored(
                [("Expires", "@+1"), ("ETag", "\"abcdef\""), ("Date", "@+0"), ("Vary", "Abc")],
                request: [("Abc", "123")]),
            SuiteStep(source: .validatedTag, request: [("Abc", "123")], sent: [("Abc", "123")])),
        optimal(
            "conditional-etag-strong-generate", .becomesStale([("ETag", "\"abcdef\"")]),
            SuiteStep(source: .validatedTag, sent: [("If-None-Match", "\"abcdef\"")])),
        optimal(
            "conditional-etag-weak-generate-weak", .becomesStale([("ETag", "W/\"abcdef\"")]),
            SuiteStep(source: .validatedTag, sent: [("If-None-Match", "W/\"abcdef\"")])),
    ]

    // MARK: - Header fields

    /// Fields, two values of each, and whether a 304 must change them; nil where the suite only asks.
    private static let fields: [(name: String, first: String, second: String, isUpdated: Bool?)] = [
        ("Test-Header", "one", "two", true), ("X-Test-Header", "one", "two", true),
        ("Content-Foo", "one", "two", true), ("X-Content-Foo", "one", "two", true),
        ("Cache-Control", "max-age=1", "max-age=3600", true), ("Content-Encoding", "one", "two", nil),
        ("Content-Length", "5", "10", false), ("Content-Location", "/foo", "/bar", nil),
        ("Content-MD5", "rL0Y20zC+Fzt72VPzMSk2A==", "N7UdGUp1E+RbVvZSTy1R8g==", nil),
        ("Content-Range", "one", "two", nil),
        ("Content-Security-Policy", "default-src 'self'", "default-src 'self' cdn.example.com", nil),
        ("Content-Type", "text/plain", "text/plain;charset=utf-8", nil), ("Clear-Site-Data", "cache", "cookies", nil),
        ("ETag", "\"abcdef\"", "\"ghijkl\"", nil),
        ("Expires", "Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT", nil),
        ("Public-Key-Pins", "one", "two", nil), ("Set-Cookie", "a=b", "a=c", nil), ("Set-Cookie2", "a=b", "a=c", nil),
        ("X-Frame-Options", "deny", "sameorigin", nil), ("X-XSS-Protection", "1", "1; mode=block", nil),
    ]
    private static let unstored = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ]

    private static func with(_ name: String, _ value: String, life: Int) -> Headers {
        let control = name == "Cache-Control" ? [] : [("Cache-Control", "max-age=\(life)")]
        return [("Date", "@+0"), (name, value)] + control
    }

    static let headerFields: [SuiteCase] =
        [
            required(
                "headers-omit-headers-listed-in-Connection",
                .fresh([("Connection", "a, b"), ("a", "1"), ("b", "2"), ("c", "3")]),
                .then(.cache, has: [("c", "3")], lacks: ["a", "b"]))
        ]
        + fields.map { field in
            required(
                "headers-store-\(field.name)", .stored(with(field.name, field.second, life: 3600)),
                .then(.cache, has: [(field.name, field.second)]))
        }
        + unstored.map { name in
            required(
                "headers-store-\(name)", .stored(with(name, "value", life: 3600)), .then(.cache, lacks: [name]))
        }

    private static let modified = "Wed, 01 Jan 2020 00:00:00 GMT"

    static let updates: [SuiteCase] =
        [
            required(
                "304-lm-use-stored-Test-Header",
                .stored([
                    ("Cache-Control", "max-age=2"), ("Last-Modified", modified), ("Date", "@+0"),
                    ("Test-Header", "one"),
                ]),
                .then(
                    .validatedDate, response: [("Last-Modified", modified), ("Date", "@+0")],
                    has: [("Test-Header", "one")]))
        ]
        + fields.compactMap { field in
            guard let isUpdated = field.isUpdated else { return nil }
            let expected = (field.name, isUpdated ? field.second : field.first)
            return required(
                "304-etag-update-response-\(field.name)",
                .stored(with(field.name, field.first, life: 2) + [("ETag", "\"1\"")]),
                .then(
                    .validatedTag, response: with(field.name, field.second, life: 2) + [("ETag", "\"1\"")],
                    has: [expected]), .then(.cache, has: [expected]))
        }

    // MARK: - Invalidation

    static let invalidation: [SuiteCase] = [HttpMethod.post, .put, .delete, HttpMethod("M-SEARCH")].flatMap { method in
        [
            required("invalidate-\(method)", .fresh(), SuiteStep(method: method), .then(.server)),
            optimal("invalidate-\(method)-failed", .fresh(), SuiteStep(method: method, status: 500), .then(.cache)),
        ]
    }

    // MARK: - Stale responses

    static let stale: [SuiteCase] = [
        optimal(
            "stale-while-revalidate",
            .stored([("Cache-Control", "max-age=1, stale-while-revalidate=3600"), ("ETag", "\"abc\"")]), .then(.cache)),
        required(
            "stale-while-revalidate-window",
            .stored([("Cache-Control", "max-age=1, stale-while-revalidate=4"), ("ETag", "\"abc\"")]),
            SuiteStep(source: .cache, response: [("Cache-Control", "no-cache"), ("ETag", "\"def\"")], pause: 3),
            .then(.server)),
        cut("must-revalidate"), cut("no-cache"),
    ]

    private static func cut(_ directive: String) -> Self {
        required(
            "stale-close-\(directive)", .stored([("Cache-Control", "max-age=2, \(directive)")]),
            SuiteStep(source: .server, isCut: true))
    }

    // MARK: - Parts

    private static let part = SuiteStep(
        request: [("Range", "bytes=-5")], status: 206,
        response: [("Cache-Control", "max-age=3600"), ("Content-Range", "bytes 4-9/10")], body: "01234")

    private static func ranged(
        _ kind: Kind, _ name: String, _ first: SuiteStep, _ range: String, _ text: String, has: Headers = []
    ) -> Self {
        let second = SuiteStep(
            source: .cache, request: [("Range", "bytes=" + range)], received: 206, has: has, text: text)
        return SuiteCase(name: "partial-" + name, kind: kind, steps: [first, second])
    }

    private static func whole(_ body: String = "01234567890") -> SuiteStep {
        .stored([("Cache-Control", "max-age=3600"), ("A", "1")], body: body, pause: 0)
    }

    static let parts: [SuiteCase] = [
        ranged(.optimal, "store-partial-reuse-partial", part, "-5", "01234"),
        ranged(.optimal, "store-complete-reuse-partial", whole(), "0-1", "01"),
        ranged(.optimal, "store-complete-reuse-partial-no-last", whole(), "1-", "1234567890"),
        ranged(.optimal, "store-complete-reuse-partial-suffix", whole("0123456789A"), "-1", "A"),
        ranged(.optimal, "store-partial-reuse-partial-byterange", part, "6-8", "234"),
        ranged(.optimal, "store-partial-reuse-partial-absent", part, "6-", "234"),
        ranged(.optimal, "store-partial-reuse-partial-suffix", part, "-1", "4"),
        optimal(
            "partial-store-partial-complete",
            SuiteStep(
                request: [("Range", "bytes=-5")], status: 206,
                response: [("Cache-Control", "max-age=3600"), ("Content-Range", "bytes 0-4/10")], body: "01234"),
            SuiteStep(sent: [("Range", "bytes=5-")])),
        ranged(.required, "use-headers", whole(), "0-1", "01"),
        ranged(.required, "use-stored-headers", whole(), "0-1", "01", has: [("A", "1")]),
        optimal(
            "method-POST",
            SuiteStep(
                method: .post, request: [("Content-Type", "text/plain")],
                response: [("Expires", "@+2592000"), ("Content-Location", "https://example.com/a"), ("Date", "@+0")],
                pause: 3), .then(.cache)),
    ]

    static let all = [
        cacheControl, age, expires, expiresForms, heuristic, directives, statuses, variants, others, conditions,
        headerFields, updates, invalidation, stale, parts,
    ].flatMap { $0 }
}
