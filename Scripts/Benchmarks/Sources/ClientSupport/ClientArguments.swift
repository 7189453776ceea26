#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What Scripts/benchmark-http.sh asks of a client, as `key=value` arguments.
public struct ClientArguments: Sendable {
    /// What is done over and over.
    public enum Work: String, Sendable {
        /// A document is fetched and, where the client is more than a sender, decoded.
        case get
        /// A large body is received and kept in memory.
        case memory
        /// A large body is received and put into a file.
        case file
        /// A large body is sent from memory.
        case upload
        /// A document is fetched over a connection made for it.
        case connect
    }

    /// Which document is fetched.
    public enum Model: String, Sendable {
        /// One user, some 300 bytes.
        case user
        /// Many of them, some 20 KB.
        case users
    }

    /// A wrong argument.
    public struct Invalid: Error {
        let argument: String

        /// Makes it.
        public init(argument: String) {
            self.argument = argument
        }
    }

    /// How the client is used, if it can be used in several ways.
    public let mode: String
    /// What is done.
    public let work: Work
    /// Where.
    public let url: URL
    /// How many requests are under way at a time.
    public let concurrency: Int
    /// How long requests are sent before anything counts, and how long they count.
    public let warmUp, duration: Duration
    /// Which document is fetched.
    public let model: Model
    /// Whether HTTP/2 is spoken.
    public let usesHttp2: Bool
    /// The authorities of the server's certificate.
    public let authorities: String?
    /// Bytes of an upload.
    public let size: Int
    /// Where a large body is put.
    public let file: String
    /// How many loops the sender has.
    public let loops: Int
    /// To how many addresses of the server, from the one of the URL on, requests go by turns.
    public let origins: Int
    /// How many requests are left without an answer before the others begin, and where those are sent to.
    public let idle: Int, idleUrl: String

    /// Reads the arguments of the process.
    ///
    /// - Throws: ``Invalid``.
    public init() throws {
        var values: [String: String] = [:]
        for argument in CommandLine.arguments.dropFirst() {
            guard let equals = argument.firstIndex(of: "=") else { throw Invalid(argument: argument) }
            values[String(argument[..<equals])] = String(argument[argument.index(after: equals)...])
        }
        func value<Value>(_ name: String, _ usual: String, _ read: (String) -> Value?) throws -> Value {
            let text = values[name] ?? usual
            guard let value = read(text) else { throw Invalid(argument: "\(name)=\(text)") }
            return value
        }
        mode = values["mode"] ?? ""
        work = try value("work", "get") { Work(rawValue: $0) }
        url = try value("url", "") { URL(string: $0) }
        concurrency = try value("concurrency", "1") { Int($0) }
        warmUp = .milliseconds(try value("warmup", "200") { Int($0) })
        duration = .milliseconds(try value("duration", "1000") { Int($0) })
        model = try value("model", "user") { Model(rawValue: $0) }
        usesHttp2 = values["http2"] == "1"
        authorities = values["ca"]
        size = try value("size", "0") { Int($0) }
        file = values["file"] ?? "/dev/null"
        loops = try value("loops", "1") { Int($0) }
        origins = try value("origins", "1") { Int($0) }
        idle = try value("idle", "0") { Int($0) }
        idleUrl = values["idleurl"] ?? ""
    }
}
