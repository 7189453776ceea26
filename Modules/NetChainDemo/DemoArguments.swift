#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the command line asks for.
struct DemoArguments {
    var baseUrl: URL?
    var help: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                help = """
                    Usage: NetChainDemo [--base-url URL]

                    Shows NetChainKit on real requests against a server of its own.
                    --base-url URL   send one plain GET to URL instead
                    """
            case "--base-url":
                guard let text = rest.popFirst(), let url = URL(string: text) else {
                    throw DemoError(description: "--base-url needs a URL, for instance http://localhost:8080/users")
                }
                baseUrl = url
            default:
                throw DemoError(description: "unknown argument \(argument); see --help")
            }
        }
    }
}
