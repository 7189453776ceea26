import NodeCore
import Testing

struct UrlTextTests {
    @Test(arguments: [
        // Escapes stay, also beside what needs one.
        ("https://h/o?sig=a%2Bb&q=[1]", "https://h/o?sig=a%2Bb&q=%5B1%5D"),
        ("https://h/a%20b|c", "https://h/a%20b%7Cc"),
        ("https://h/%2f%2F?a=%3d\"#%23<", "https://h/%2f%2F?a=%3d%22#%23%3C"),
        ("https://u%40x:p%3A|@h/", "https://u%40x:p%3A%7C@h/"),
        // A `%` that begins no escape.
        ("https://h/100%", "https://h/100%25"), ("https://h/%zz%4", "https://h/%25zz%254"),
        ("https://h/a?b=%&c=%%20", "https://h/a?b=%25&c=%25%20"),
        // What a component can't contain.
        ("https://h/ü \\^`{}", "https://h/%C3%BC%20%5C%5E%60%7B%7D"), ("https://h/a\tb\nc\0", "https://h/a%09b%0Ac"),
        ("https://h/a[1]", "https://h/a%5B1%5D"), ("https://h/?a#b#c%20", "https://h/?a#b%23c%20"),
        ("https://user@na@h/", "https://user%40na@h/"), ("https://good\\@evil/", "https://good%5C@evil/"),
        ("https://h/?page[number]=2", "https://h/?page%5Bnumber%5D=2"),
        // All that may stay.
        ("https://h/-._~!$&'()*+,;=:@/?-._~!$&'()*+,;=:@/?#-._~!$&'()*+,;=:@/?", nil),
        ("https://h//a///b//", nil), ("https://h/a/./b/../c", nil), ("https://h?a", nil), ("https://h/?", nil),
        ("https://h/#", nil), ("https://h:/", nil), ("https://:80/", nil), ("https://h:65535/", nil),
        ("HTTP://H/x", nil), ("mailto:a@b.example", nil), ("file:///a/b", nil), ("urn:a:b", nil),
        // Blanks and line ends around it.
        (" \t\r\nhttps://h/x\r\n ", "https://h/x"), ("https://h/ \0", "https://h/"),
        // References.
        ("/a:b", nil), ("a/b:c", nil), ("//h/x", nil), ("?x", nil), ("#x", nil), ("a b", "a%20b"), ("../a", nil),
        // Hosts.
        ("https://[::1]:8080/", nil), ("https://[fe80::1%25eth0]/", nil),
        ("https://[fe80::1%eth0]/", "https://[fe80::1%25eth0]/"),
        ("https://[fe80::1%ec0]/", "https://[fe80::1%25ec0]/"),
        ("https://[fe80::1%25]/", "https://[fe80::1%2525]/"), ("https://[v1.a:b]/", nil), ("https://a_b.example/", nil),
        ("https://h%2Fx/", nil),
        ("https://h%/", "https://h%25/"),
        ("https://%68ost/", "https://host/"), ("https://a b/", "https://a%20b/"), ("https://%FF/", nil),
        ("app://größe/x", "app://gr%C3%B6%C3%9Fe/x"), ("app://a%2Db", nil),
    ])
    func textBecomesAUrl(text: String, expected: String?) throws {
        #expect(written(text) == expected ?? text)
        #expect(written(expected ?? text) == expected ?? text)
    }

    @Test(arguments: [
        "", " ", "\n", "https://h:abc/", "https://h:80:80/", "https://h:65536/", "https://h:99999999999999999999/",
        "https://[::1/", "https://[::1]x/", "https://[]/", "https://[::1|]/", "https://[fe80::1%]/", "https://[g]/",
        "1:2", "127.0.0.1:8080/x", ":a",
    ])
    func otherTextIsNone(text: String) {
        #expect(written(text) == nil)
    }

    private static let hosts: [(String, String)] = [
        ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
        ("http://b%C3%BCcher.example", "http://xn--bcher-kva.example"),
        ("http://xn--bcher-kva.example", "http://xn--bcher-kva.example"),
        ("http://BÜCHER.Example", "http://xn--bcher-kva.example"),
        ("http://bu\u{308}cher.example", "http://xn--bcher-kva.example"),
        ("http://u:ü@www.bücher.example:8080/", "http://u:%C3%BC@www.xn--bcher-kva.example:8080/"),
        ("//bücher.example/", "//xn--bcher-kva.example/"), ("wss://bücher.example", "wss://xn--bcher-kva.example"),
        ("http://faß.example", "http://xn--fa-hia.example"), ("http://☃\u{FE0F}.example", "http://xn--n3h.example"),
        ("http://例え。テスト", "http://xn--r8jz45g.xn--zckzah"),
        ("http://почта.рф", "http://xn--80a1acny.xn--p1ai"), ("http://ｅｘａｍｐｌｅ．com", "http://example.com"),
        ("http://他们为什么不说中文/", "http://xn--ihqwcrb4cv8a8dqg056pqjye/"),
        ("http://3年B組金八先生/", "http://xn--3b-ww4c5e180e575a65lsy2b/"),
        ("http://a／b.example/", "http://a%2Fb.example/"),
        ("http://\(String(repeating: "ü", count: 64))/", "http://\(String(repeating: "%C3%BC", count: 64))/"),
    ]

    @Test(arguments: hosts)
    func aHostBeyondAsciiIsWrittenInItsAsciiForm(text: String, expected: String) {
        #expect(written(text) == expected)
        #expect(written(expected) == expected)
    }

    /// RFC 3986 §5.4, and what its table leaves out.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ("http://h/x/../y", "http://h/y"), ("//h/x/./y", "http://h/x/y"), ("/a//b", "http://a/a//b"),
        ("/a//../b", "http://a/a/b"), ("a%2F%2E./b%20[", "http://a/b/c/a%2F%2E./b%20%5B"), ("?", "http://a/b/c/d;p?"),
        ("#", "http://a/b/c/d;p?q#"), ("http:.///h", "http:/.//h"), ("k:/..//h", "k:/.//h"), ("k:/.//h", "k:/.//h"),
    ])
    func aReferenceIsResolved(reference: String, expected: String) throws {
        let base = try #require(UrlText("http://a/b/c/d;p?q".utf8))
        let resolved = base.resolving(try #require(UrlText(reference.utf8)))
        #expect(String(decoding: resolved.bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("http://a", "g", "http://a/g"), ("http://a?x", "g", "http://a/g"), ("http://a", "?y", "http://a?y"),
    ])
    func aBaseMayHaveNoPath(base: String, reference: String, expected: String) throws {
        let resolved = try #require(UrlText(base.utf8)).resolving(try #require(UrlText(reference.utf8)))
        #expect(String(decoding: resolved.bytes, as: UTF8.self) == expected)
    }

    private func written(_ text: String) -> String? {
        UrlText(text.utf8).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
