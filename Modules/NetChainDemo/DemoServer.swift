import NetChainKit
import NetChainTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The demo's server, on a real socket with a free port of 127.0.0.1.
struct DemoServer {
    static let fileSize = 48_000_000
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/users") { _ in
            .json(#"[{"id": 1, "name": "Ada", "role": "admin"}, {"id": 2, "name": "Grace", "role": "member"}]"#)
        }
        server.on("GET", "/users/1") { _ in .json(#"{"id": 1, "name": "Ada", "role": "admin"}"#) }
        server.on("GET", "/users/99") { _ in .json(#"{"message": "There is no user 99."}"#, status: 404) }
        server.on("GET", "/search") { request in
            .json(
                try Self.text(of: Dictionary(request.queryItems.map { ($0.name, $0.value ?? "") }) { "\($0), \($1)" }))
        }
        server.on("POST", "/users") { request in .json(request.text, status: 201) }
        server.on("POST", "/login") { request in
            let fields = Dictionary(try request.formItems.map { ($0.name, $0.value ?? "") }) { $1 }
            return .json(try Self.text(of: Receipt(fields: fields, files: [:])))
        }
        server.on("POST", "/photos") { request in
            let parts = try request.multipartParts
            let fields = parts.filter { $0.filename == nil }.map { ($0.name, $0.text) }
            let files = parts.compactMap { part in part.filename.map { ($0, part.body.count) } }
            let receipt = Receipt(
                fields: Dictionary(fields) { "\($0), \($1)" }, files: Dictionary(files) { $1 })
            return .json(try Self.text(of: receipt))
        }
        let block = (0..<250).map { UInt8($0) }
        server.on("GET", "/file") { _ in .repeating(block, length: Self.fileSize) }
        server.hold("/slow")
    }

    private static func text(of value: some Encodable) throws -> String {
        try Json(encoding: value).description
    }
}
