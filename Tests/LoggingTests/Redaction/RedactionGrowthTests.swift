import Logging
import TestSupport
import Testing

/// The time of masking grows with the text, whatever a server sends.
struct RedactionGrowthTests {
    static let all: [Growth] = [
        ("slashes", "/"), ("segments", "a/"), ("escapes", "%41"), ("words", "Basic "), ("braces", "{\""),
        ("brackets", "["), ("quotes", "\""), ("schemes", "http:"), ("fields", "a=b&"), ("dashes", "-"),
        ("blocks", "-----BEGIN "), ("dots", "eyJ."), ("user info", "a:b@"),
    ].map { name, piece in
        Growth(name, 2_000) { size in
            let text = String(repeating: piece, count: size)
            let mask = Redaction.standard
            return { use([mask.text(text), mask.url(text), mask.json(text)]) }
        }
    }

    @Test(arguments: all) func theTimeGrowsWithTheText(growth: Growth) throws { try growth.check() }
}
