import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

/// The time that a server's headers take grows with their number: 256 KiB have about 17,000 fields.
@Suite struct HeaderGrowthTests {
    private static func fields(_ name: String, _ value: @escaping @Sendable (Int) -> String) -> Growth {
        Growth("fields \(name): \(value(1))", 400) { size in
            let headers = HttpHeaders(received: (0..<size).map { .init(name: name, value: value($0)) })
            return { use(DecisiveFields(headers)) }
        }
    }

    private static func directives(_ name: String) -> Growth {
        Growth("directives \(name)", 400) { size in
            let value = (0..<size).map { "\(name)=\"a\($0)\"" }.joined(separator: ",")
            return {
                var control = CacheControl()
                control.add(value)
                use(control)
            }
        }
    }

    static let all = [
        fields("Connection") { "a\($0)" }, fields("Vary") { "a\($0)" }, fields("Vary") { _ in "," },
        fields("Cache-Control") { "no-cache=\"a\($0)\"" }, directives("no-cache"), directives("private"),
        directives("max-age"),
    ]

    @Test(arguments: all) func theTimeGrowsWithTheFields(growth: Growth) throws { try growth.check() }
}
