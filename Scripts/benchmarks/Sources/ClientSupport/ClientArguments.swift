import Glibc

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
    /// How many requests are in progress at a time.
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
    /// How many requests are sent, all of which count; 0 to send them for ``duration``.
    public let requests: Int
    /// How many idle connections are kept; 0 for as many as requests are in progress.
    public let kept: Int
    /// To how many addresses of the server, from the one of the URL on, requests go by turns.
    public let origins: Int

    /// Reads the arguments of the process.
    ///
    /// - Throws: ``Invalid``.
    public init() throws {
        // By C's means: Swift's for texts are half a megabyte of code that would count as the client's memory.
        var arguments: [(name: String, value: String)] = []
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[number] else { break }
            guard let equals = strchr(argument, Int32(UInt8(ascii: "="))) else {
                throw Invalid(argument: String(cString: argument))
            }
            let name = UnsafeRawBufferPointer(start: argument, count: equals - argument)
            arguments.append((String(decoding: name, as: UTF8.self), String(cString: equals + 1)))
        }
        let values = arguments
        func text(_ name: String) -> String? {
            values.last { $0.name == name }?.value
        }
        func number(_ name: String, _ usual: Int) throws -> Int {
            guard let text = text(name) else { return usual }
            guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
                throw Invalid(argument: "\(name)=\(text)")
            }
            return atol(text)
        }
        func value<Value>(_ name: String, _ usual: String, _ read: (String) -> Value?) throws -> Value {
            let text = text(name) ?? usual
            guard let value = read(text) else { throw Invalid(argument: "\(name)=\(text)") }
            return value
        }
        mode = text("mode") ?? ""
        work = try value("work", "get") { Work(rawValue: $0) }
        url = try value("url", "") { URL(string: $0) }
        concurrency = try number("concurrency", 1)
        warmUp = .milliseconds(try number("warmup", 200))
        duration = .milliseconds(try number("duration", 1000))
        model = try value("model", "user") { Model(rawValue: $0) }
        usesHttp2 = text("http2") == "1"
        authorities = text("ca")
        size = try number("size", 0)
        file = text("file") ?? "/dev/null"
        origins = try number("origins", 1)
        requests = try number("requests", 0)
        kept = try number("kept", 0)
    }

    /// The URLs of the origins.
    ///
    /// - Throws: ``Invalid``.
    public func urls() throws -> [URL] {
        guard origins > 1 else { return [url] }
        return try (1...origins).map { number in
            let address = "127.\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
            let text = url.absoluteString.replacing("127.0.0.1", with: address, maxReplacements: 1)
            guard let url = URL(string: text) else { throw Invalid(argument: text) }
            return url
        }
    }
}
