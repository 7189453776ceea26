import HttpMessages
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a body is passed to curl: on the command line, from a file, or through a pipe.
struct CurlInput {
    /// The commands before `curl` whose output is piped into it; empty without a pipe.
    let pipe: String
    let argument: String

    /// The longest text on the command line, in bytes. A longer one is piped. Linux allows 128 KiB for one argument,
    /// and quoting and masking may lengthen it.
    private static let longestArgument = 32 << 10

    init(_ body: RequestBody, contentType: String, redaction: Redaction) {
        let pieces = body.pieces(masked: redaction, contentType: contentType)
        switch pieces.first {
        case nil:
            pipe = ""
            argument = "--data-raw ''"
        case .stream:
            // The user of the command supplies the bytes on standard input.
            pipe = ""
            argument = "--data-binary @-"
        case .file(let slice) where pieces.count == 1 && slice.isWhole:
            pipe = ""
            argument = "--data-binary \(Shell.quoted("@\(slice.url.path)"))"
        case .data(let data) where pieces.count == 1 && data.count <= CurlInput.longestArgument:
            if let text = Shell.plainText(data) {
                pipe = ""
                // Unlike `--data-binary`, `--data-raw` doesn't take a leading @ for a file.
                argument = "--data-raw \(Shell.quoted(text))"
            } else {
                pipe = "\(Shell.printing(data)) |\n    "
                argument = "--data-binary @-"
            }
        default:
            let commands = pieces.map { piece in
                switch piece {
                case .data(let data): Shell.printing(data)
                case .file(let slice): CurlInput.printing(slice)
                case .stream: "cat"
                }
            }
            pipe = commands.count == 1 ? "\(commands[0]) |\n    " : "{ \(commands.joined(separator: "; ")); } |\n    "
            argument = "--data-binary @-"
        }
    }

    /// A command that prints a file, or a part of one.
    private static func printing(_ slice: RequestBody.FileSlice) -> String {
        let path = Shell.quoted(slice.url.path)
        if slice.isWhole { return "cat \(path)" }
        return "tail -c +\(slice.range.lowerBound + 1) \(path) | head -c \(slice.size)"
    }
}
