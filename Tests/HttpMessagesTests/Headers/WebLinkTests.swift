import Testing

@testable import HttpMessages

/// The `Link` field of RFC 8288, and the algorithm of its Appendix B.
struct WebLinkTests {
    private func links(_ value: String) -> [String] { WebLink.links(in: value).map(\.text) }

    /// The examples of RFC 8288 §3.5, and of RFC 5988.
    @Test(arguments: [
        (
            "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"",
            ["http://example.com/TheBook/chapter2 [previous] title=previous chapter"]
        ),
        ("</>; rel=\"http://example.net/foo\"", ["/ [http://example.net/foo]"]),
        ("</terms>; rel=\"copyright\"; anchor=\"#foo\"", ["/terms [copyright] of #foo"]),
        (
            "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
                + "</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel",
            ["/TheBook/chapter2 [previous] title=letztes Kapitel", "/TheBook/chapter4 [next] title=nächstes Kapitel"]
        ),
        (
            "<http://example.org/>; rel=\"start http://example.net/relation/other\"",
            ["http://example.org/ [start,http://example.net/relation/other]"]
        ),
        (
            "<https://example.org/>; rel=\"start\", <https://example.org/index>; rel=\"index\"",
            ["https://example.org/ [start]", "https://example.org/index [index]"]
        ),
    ])
    func theExamplesOfTheRfcAreRead(value: String, expected: [String]) {
        #expect(links(value) == expected)
    }

    @Test(arguments: [
        ("<a>;rel=next", ["a [next]"]),
        ("  <a>\t; \trel \t= next\t, ,,<b> ; rel=\"prev\" ,", ["a [next]", "b [prev]"]),
        ("<a>;rel=next,<b>;rel=prev", ["a [next]", "b [prev]"]),
        ("<>; rel=self", [" [self]"]),
        ("<a,b;c>; rel=\"next\"", ["a,b;c [next]"]),
        ("<a>; title=\"x, <b>; rel=prev\"; rel=next", ["a [next] title=x, <b>; rel=prev"]),
        ("<a>; title=\"a \\\"b\\\" \\\\ c;\\é\"; rel=next", ["a [next] title=a \"b\" \\ c;é"]),
        ("<a>; rel=\" next \t prev\"", ["a [next,prev]"]),
        ("<a>; rel=next prev", ["a [next,prev]"]),
        ("<a>; REL=Next; Title=T", ["a [Next] title=T"]),
        ("<a>; ; rel=next;", ["a [next]"]),
        ("<a>; crossorigin; rel=next; x=", ["a [next] crossorigin= x="]),
        ("<a>; rel=next; type=\"text/html\"", ["a [next] type=text/html"]),
        ("<a>; rel=next; title=é", ["a [next] title=é"]),
        // RFC 8288 Appendix B.4: a quoted string may end with the field.
        ("<a>; rel=\"next", ["a [next]"]),
        ("<a>; rel=\"next\\", ["a [next]"]),
        // GitHub, GitLab, and the registry of Docker.
        (
            "<https://api.github.com/repositories/1/issues?page=2>; rel=\"next\", "
                + "<https://api.github.com/repositories/1/issues?page=9>; rel=\"last\"",
            [
                "https://api.github.com/repositories/1/issues?page=2 [next]",
                "https://api.github.com/repositories/1/issues?page=9 [last]",
            ]
        ),
        ("</v2/_catalog?last=a%2Cb&n=2>; rel=\"next\"", ["/v2/_catalog?last=a%2Cb&n=2 [next]"]),
    ])
    func linksAreRead(value: String, expected: [String]) {
        #expect(links(value) == expected)
    }

    /// RFC 8288 §3.3, §3.4.1: later occurrences MUST be ignored.
    @Test(arguments: [
        ("<a>; rel=next; rel=prev", "a [next]"),
        ("<a>; rel=next; anchor=b; anchor=c", "a [next] of b"),
        ("<a>; rel=next; title=b; TITLE=c", "a [next] title=b"),
        ("<a>; rel=next; title*=UTF-8''b; title*=UTF-8''c", "a [next] title=b"),
        ("<a>; rel=next; title*=UTF-8''%; title*=UTF-8''c", "a [next]"),
        ("<a>; rel=next; media=b; media=c; type=d; type=e", "a [next] media=b type=d"),
    ])
    func theFirstOfSeveralParametersCounts(value: String, expected: String) {
        #expect(links(value) == [expected])
    }

    /// RFC 8288 §3.4.1: `title*` is preferred. RFC 8187 §3.2: its syntax.
    @Test(arguments: [
        ("title=a; title*=UTF-8''b", "b"), ("title*=utf-8'en'%e2%82%ac%20rates; title=a", "€ rates"),
        ("title*=\"UTF-8''b\"", "b"), ("title=a; title*=b", "a"), ("title=a; title*=UTF-8'b", "a"),
        ("title=a; title*=ISO-8859-1''%A3", "a"), ("title=a; title*=UTF-8''%ff", "a"),
        ("title=a; title*=UTF-8''%2", "a"),
        ("title=a; title*=UTF-8''b c", "a"), ("title=a; title*", "a"), ("title=a; title*=UTF-8''", ""),
    ])
    func anExtendedTitleIsPreferredWhereItCanBeDecoded(parameters: String, title: String) throws {
        let link = try #require(WebLink.links(in: "<a>; rel=next; \(parameters)").first)
        #expect(link["title"] == title && link["TITLE"] == title)
    }

    @Test func relationsAndAnchorsHaveNoExtendedForm() {
        #expect(links("<a>; rel*=UTF-8''next") == [])
        #expect(links("<a>; rel=prev; rel*=UTF-8''next; anchor*=UTF-8''b") == ["a [prev]"])
    }

    @Test(arguments: [
        "", " ", ",", "a", "<", "<a", "<a>", "<a>;", "<a>; title=b", "<a>; rel", "<a>; rel=\"\"", "rel=next",
    ])
    func aFieldMayHaveNoLinks(value: String) {
        #expect(links(value) == [])
    }

    @Test(arguments: [
        ("b>; rel=x, <a>; rel=next", ["a [next]"]),
        ("\"b, <c>; rel=x\", <a>; rel=next", ["a [next]"]),
        ("<b> rel=x, <a>; rel=next", ["a [next]"]),
        ("<b>, <a>; rel=next", ["a [next]"]),
        ("<b>; rel=prev x, <a>; rel=next", ["b [prev,x]", "a [next]"]),
        ("<b>; rel=\"prev\" x; title=\"c, d\", <a>; rel=next", ["b [prev]", "a [next]"]),
        ("<a>; rel=next, <b; rel=prev", ["a [next]"]),
    ])
    func malformedTextIsSkippedToTheNextComma(value: String, expected: [String]) {
        #expect(links(value) == expected)
    }

    @Test func linksOfAllFieldsAreInOrder() {
        let headers = HttpHeaders([
            .init(name: "Link", value: "<a>; rel=next, <b>; rel=prev"), .init(name: "X-Link", value: "<x>; rel=x"),
            .init(name: "link", value: "<c>; rel=\"last"), .init(name: "LINK", value: "<d>; rel=first"),
        ])
        #expect(headers.links.map(\.target) == ["a", "b", "c", "d"])
        #expect(HttpHeaders().links.isEmpty)
    }

    /// RFC 8288 §2.1.1, §2.1.2.
    @Test func relationTypesAreComparedWithoutCase() throws {
        let link = try #require(WebLink.links(in: "<a>; rel=\"Next HTTP://E/Rel\"").first)
        #expect(link.hasRelation("next") && link.hasRelation("NEXT") && link.hasRelation("http://e/rel"))
        #expect(!link.hasRelation("nex") && !link.hasRelation("next http://e/rel"))
        #expect(link.relations == ["Next", "HTTP://E/Rel"])
    }

    @Test func itsDescriptionMasksSecrets() throws {
        let link = try #require(WebLink.links(in: "<?api_key=s3cr3t&page=2>; rel=\"next up\"; title=t").first)
        #expect("\(link)" == "next up: ?api_key=***&page=2")
        #expect(Mirror(reflecting: link).children.isEmpty)
    }

    @Test(arguments: ["<a>;rel=next,", "<", "\"", "<a>;;", "<a>;x=\"", ",x\"\"", "<a>;a*=UTF-8''%"])
    func parsingTakesLinearTime(piece: String) {
        let value = String(repeating: piece, count: 200_000)
        let time = ContinuousClock().measure { _ = WebLink.links(in: value) }
        #expect(time < .seconds(20))
    }
}

extension WebLink {
    /// The target, the relations, the anchor, and the parameters that the tests use.
    fileprivate var text: String {
        let names = ["crossorigin", "media", "title", "type", "x"]
        let parameters = names.compactMap { name in self[name].map { " \(name)=\($0)" } }.joined()
        return "\(target) [\(relations.joined(separator: ","))]\(anchor.map { " of \($0)" } ?? "")\(parameters)"
    }
}
