import Testing
import UrlTransport

/// The table of query and form encoding: Alamofire's test vectors, with its rules.
struct QueryEncoderTests {
    private let standard = QueryEncoder()
    private let plain = QueryEncoder(
        boolStrategy: URLQueryBoolEncodingDefaultStrategy.asBool,
        arrayStrategy: URLQueryArrayKeyEncodingBracketsStrategy.noBrackets)

    @Test func arraysHaveBracketsAndBoolsAreNumbersByDefault() async throws {
        #expect(try await injected(["foo": ["a", 1, true] as [Any]]) == "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1")
    }

    @Test func arraysCanDoWithoutBrackets() async throws {
        let encoder = QueryEncoder(arrayStrategy: URLQueryArrayKeyEncodingBracketsStrategy.noBrackets)
        #expect(try await injected(["foo": ["a", 1, true] as [Any]], encoder) == "foo=a&foo=1&foo=1")
    }

    @Test func dictionariesAndArraysNest() async throws {
        #expect(try await injected(["foo": ["bar": ["baz": ["a"]]]]) == "foo%5Bbar%5D%5Bbaz%5D%5B%5D=a")
        #expect(
            try await injected(["a": [["b": 1], ["b": 2]], "c": [[1, 2], [3]]])
                == "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bb%5D=2&c%5B%5D%5B%5D=1&c%5B%5D%5B%5D=2&c%5B%5D%5B%5D=3")
    }

    @Test func boolsCanBeWordsAndNumbersStayAsTheyAre() async throws {
        #expect(try await injected(["a": 1, "b": 1.0, "c": true, "d": false], plain) == "a=1&b=1.0&c=true&d=false")
    }

    @Test(arguments: [
        (":#[]@!$&'()*+,;=", "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        (" \"#%<>[]\\^`{}|", "%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
        ("+bar+", "%2Bbar%2B"), ("fran\u{E7}ais", "fran%C3%A7ais"), ("\u{1F600}", "%F0%9F%98%80"),
        ("-._~/?", "-._~/?"), ("\r\n\0", "%0D%0A%00"), ("", ""), ("e\u{301}", "e%CC%81"),
    ])
    func namesAndValuesAreEscaped(text: String, escaped: String) {
        #expect(standard.encode([text: .string(text)]) == "\(escaped)=\(escaped)")
    }

    @Test func keysAreSortedAtEveryLevel() {
        let members: [String: QueryValue] = ["z": .number("1"), "a": .number("2"), "M": .number("3")]
        #expect(
            standard.encode(["b": .dictionary(members), "a": .number("0")])
                == "a=0&b%5BM%5D=3&b%5Ba%5D=2&b%5Bz%5D=1")
    }

    @Test func nothingIsLeftOut() {
        #expect(standard.encode([:]) == "")
        #expect(standard.encode(["a": .none, "b": .array([]), "c": .dictionary([:]), "d": .string("")]) == "d=")
        #expect(standard.encode(["a": .array([.none, .number("1")])]) == "a%5B%5D=1")
    }

    @Test func strategiesCanBeTheUsersOwn() {
        struct YesNo: URLQueryBoolEncodingStrategy {
            func encode(value: Bool) -> String { value ? "yes & on" : "no" }
        }
        struct Plural: URLQueryArrayKeyEncodingStrategy {
            func encode(value: String) -> String { value + "s" }
        }
        struct Dotted: URLQueryDictionaryKeyEncodingStrategy {
            func encode(queryItemName: String, dictionaryKey: String) -> String { "\(queryItemName).\(dictionaryKey)" }
        }
        let encoder = QueryEncoder(boolStrategy: YesNo(), arrayStrategy: Plural(), dictionaryStrategy: Dotted())
        #expect(
            encoder.encode(["user": .dictionary(["tag": .array([.bool(true), .bool(false)])])])
                == "user.tags=yes%20%26%20on&user.tags=no")
    }
}
