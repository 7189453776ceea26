import FoundationEssentials
import Glibc

/// What Scripts/benchmark-http.sh asks of a client, as environment variables.
package struct ClientArguments: Sendable {
    /// What is done over and over.
    package enum Work: String, Sendable {
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
    package enum Model: String, Sendable {
        /// One user, some 300 bytes.
        case user
        /// Many of them, some 20 KB.
        case users
    }

    /// How the client is used, if it can be used in several ways.
    package let mode: String
    package let work: Work
    package let url: URL
    /// How many requests are in progress at a time.
    package let concurrency: Int
    /// How long requests are sent before anything counts, and how long they count.
    package let warmUp, duration: Duration
    package let model: Model
    package let usesHttp2: Bool
    /// The file with the authorities of the server's certificate.
    package let authorities: String?
    /// Bytes of an upload.
    package let size: Int
    /// Where a large body is put.
    package let file: String
    /// How many requests are sent, all of which count; 0 to send them for ``duration``.
    package let requests: Int
    /// How many idle connections are kept; 0 for as many as requests are in progress.
    package let kept: Int
    /// To how many addresses of the server, from the one of the URL on, requests go by turns.
    package let origins: Int

    /// Reads the environment of the process by C's means: Swift's for texts are half a megabyte of code that would
    /// count as the client's memory.
    package init() {
        func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        func number(_ name: String, _ usual: Int) -> Int { getenv(name).map { atol($0) } ?? usual }
        guard let url = URL(string: text("url") ?? ""), let work = Work(rawValue: text("work") ?? "get"),
            let model = Model(rawValue: text("model") ?? "user")
        else { fail("url, work or model is wrong: see ClientArguments.swift") }
        self.url = url
        self.work = work
        self.model = model
        mode = text("mode") ?? ""
        concurrency = number("concurrency", 1)
        warmUp = .milliseconds(number("warmup", 200))
        duration = .milliseconds(number("duration", 1000))
        usesHttp2 = number("http2", 0) == 1
        authorities = text("ca")
        size = number("size", 0)
        file = text("file") ?? "/dev/null"
        origins = number("origins", 1)
        requests = number("requests", 0)
        kept = number("kept", 0)
    }

    /// The URLs of the origins.
    package var urls: [URL] {
        guard origins > 1 else { return [url] }
        return (1...origins).compactMap { number in
            let address = "127.\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
            return URL(string: url.absoluteString.replacing("127.0.0.1", with: address, maxReplacements: 1))
        }
    }
}
