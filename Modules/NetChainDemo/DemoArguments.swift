import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct DemoArguments {
    var baseUrl: URL?
    var outputFolder: URL?
    var help: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                help = """
                    Usage: NetChainDemo [--base-url URL] [--out DIR]

                    Shows NetChainKit on real requests against a server of its own.
                    --base-url URL   send one plain GET to URL instead
                    --out DIR        write the log and the HAR file into DIR; a new temporary folder
                                     without it
                    """
            case "--base-url":
                guard let text = rest.popFirst(), let url = URL(parsing: text) else {
                    throw DemoError(description: "--base-url needs a URL, for instance http://localhost:8080/users")
                }
                baseUrl = url
            case "--out":
                guard let path = rest.popFirst(), !path.isEmpty else {
                    throw DemoError(description: "--out needs a folder")
                }
                outputFolder = URL(fileURLWithPath: path)
            default:
                throw DemoError(description: "unknown argument \(argument); see --help")
            }
        }
    }
}
