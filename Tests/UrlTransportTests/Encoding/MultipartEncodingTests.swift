#if os(Linux)
import Models
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Forms as a strict parser at the server sees them.
struct MultipartEncodingTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/form", respond: .text("ok"))
        sender = try makeSender()
        folder = try TestFolder()
    }

    private func sent(
        _ form: MultipartModel<[String: Data]>, headers: [String: String] = [:]
    ) async throws -> LoopbackRequest {
        let url = server.url("/form").absoluteString
        let request = try await transformed(.multipart(form), url: url, metadata: headers)
        _ = try await sender.observed(request).value
        return try #require(server.requests.last)
    }

    @Test func fieldsAndFilesArriveInOrder() async throws {
        let file = try folder.file("note.txt", Array("from disk".utf8))
        var form = MultipartModel(
            payloadModel: ["title": Data("Sunset".utf8), "album": Data("Sea".utf8)],
            files: ["photo": .data(data: Data([0, 13, 10, 255]), filename: "a.jpg"), "note": .url(url: file)])
        form.append("one", name: "tag")
        form.append("two", name: "tag")
        let request = try await sent(form)
        let parts = try request.multipartParts
        #expect(parts.map(\.name) == ["album", "title", "photo", "note", "tag", "tag"])
        #expect(parts.map(\.filename) == [nil, nil, "a.jpg", "note.txt", nil, nil])
        #expect(parts.map(\.contentType) == [nil, nil, "image/jpeg", "text/plain", nil, nil])
        #expect(parts[2].body == [0, 13, 10, 255])
        #expect([0, 1, 3, 4, 5].map { parts[$0].text } == ["Sea", "Sunset", "from disk", "one", "two"])
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        #expect(parts.allSatisfy { $0.headers["Content-Transfer-Encoding"] == nil })
        #expect(parts[2].headers.fields.map(\.name) == ["Content-Disposition", "Content-Type"])
    }

    @Test(arguments: [
        ("a\"b", "a%22b"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"), ("a\nb\rc", "a%0Ab%0Dc"),
        ("\"; filename=\"evil", "%22; filename=%22evil"), ("caf\u{E9} \u{1F600}", "caf\u{E9} \u{1F600}"),
        ("a;b=c", "a;b=c"), ("100%", "100%"), ("C:\\x", "C:\\x"),
    ])
    func aNameCanNeverBreakOutOfItsHeader(name: String, expected: String) async throws {
        let form = MultipartModel<[String: Data]>(
            payloadModel: [:], parts: [MultipartPart(name: name, filename: name, content: .data(Data("x".utf8)))])
        let parts = try await sent(form).multipartParts
        #expect(parts.map(\.name) == [expected])
        #expect(parts.map(\.filename) == [expected])
        #expect(parts[0].headers.fields.map(\.name) == ["Content-Disposition"])
        #expect(parts[0].text == "x")
    }

    @Test func aContentTypeCanNotBreakOutOfItsHeaderEither() async throws {
        let part = MultipartPart(
            name: "a", contentType: "text/plain\r\nX-Evil: 1\n\u{85}\0", content: .data(Data("x".utf8)))
        let parts = try await sent(MultipartModel(payloadModel: [:], parts: [part])).multipartParts
        #expect(parts[0].headers.fields.map(\.name) == ["Content-Disposition", "Content-Type"])
        #expect(parts[0].contentType == "text/plainX-Evil: 1")
    }

    @Test func aFormWithoutPartsIsAFormStill() async throws {
        let request = try await sent(MultipartModel(payloadModel: [:]))
        #expect(try request.multipartParts.isEmpty)
    }

    @Test func emptyPartsAreKept() async throws {
        let file = try folder.file("empty.bin", [])
        var form = MultipartModel(payloadModel: ["empty": Data()], files: ["file": .url(url: file)])
        form.append("end", name: "last")
        let parts = try await sent(form).multipartParts
        #expect(parts.map(\.body.count) == [0, 0, 3])
    }

    @Test func theBoundaryIsNewEachTimeAndShortEnough() async throws {
        let form = MultipartModel(payloadModel: ["a": Data("1".utf8)])
        var boundaries: Set<String> = []
        for _ in 0..<3 {
            let type = try #require(
                try await sent(form, headers: ["Content-Type": "text/plain"]).headers["Content-Type"])
            let boundary = try #require(type.split(separator: "boundary=").last)
            #expect(type.hasPrefix("multipart/form-data; boundary="))
            #expect((20...70).contains(boundary.count))
            boundaries.insert(String(boundary))
        }
        #expect(boundaries.count == 3)
    }

    @Test func aMissingFileIsAnErrorAndNothingIsSent() async throws {
        let file = folder.url.appending(path: "missing")
        let form = MultipartModel<[String: Data]>(payloadModel: [:], files: ["file": .url(url: file)])
        let error = try #require(await thrown(RequestBuildingError.self) { _ = try await sent(form) })
        #expect(error.code == .unreadableFile)
        #expect(error.description == "\(file.path) can't be read for the upload: No such file or directory.")
        #expect(server.counts.connectionsAccepted == 0)
    }
}
#endif
