#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether lines are colored by their level.
public enum LogColors: Sendable, Hashable {
    /// On a terminal, unless the environment has a `NO_COLOR` that is not empty (https://no-color.org) or `TERM=dumb`.
    case automatic
    /// Always.
    case always
    /// Never.
    case never

    func areWanted(on file: FileDescriptor) -> Bool {
        areWanted(isTerminal: file.isTerminal) { name in getenv(name).map { String(cString: $0) } }
    }

    func areWanted(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .automatic: isTerminal && environment("NO_COLOR") ?? "" == "" && environment("TERM") != "dumb"
        }
    }
}
