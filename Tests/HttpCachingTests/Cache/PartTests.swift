import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Parts of stored responses, and responses to a `POST`.
@Suite struct PartTests {
    private let stored = [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]

    @Test(arguments: [
        ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=8-", "89", "bytes 8-9/10"), ("bytes=-3", "789", "bytes 7-9/10"),
        ("Bytes=2-99", "23456789", "bytes 2-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
    ])
    func aRangeIsServedFromAStoredResponse(range: String, text: String, field: String) async throws {
        let stores: [any HttpCacheStore] = [HttpCacheMemoryStore(limit: 1_000_000), FlakyStore()]
        for store in stores {
            let lab = CacheLab(store: store)
            lab.answers(200, stored, body: "0123456789")
            try await lab.get()
            let part = try await lab.get("/a", [("Range", range)])
            #expect(part.status == 206 && part.text == text && part.cache?.isStored == true)
            #expect(part.headers["Content-Range"] == field)
            #expect(part.headers["Content-Length"] == "\(text.utf8.count)")
            #expect(part.headers["ETag"] == "\"a\"")
            #expect(lab.sent.count == 1)
        }
    }

    /// A caller that uses `data[0]` would trap.
    @Test func theIndicesOfAPartBeginAtZero() async throws {
        let stores: [any HttpCacheStore] = [HttpCacheMemoryStore(limit: 1_000_000), FlakyStore()]
        for store in stores {
            let lab = CacheLab(store: store)
            lab.answers(200, stored, body: "0123456789")
            try await lab.get()
            var request = try lab.request(.get, "/a", [("Range", "bytes=4-")])
            #expect(try await lab.sender.send(request).data.startIndex == 0)
            request.options.destination = .stream
            let stream = try #require(try await lab.sender.send(request).bytes)
            for try await piece in stream { #expect(piece.startIndex == 0) }
        }
    }

    @Test(arguments: ["bytes", "bytes=", "bytes=-", "bytes=2-1", "bytes=a-", "lines=0-1", "bytes=0-1,3-4", "bytes=--1"])
    func anythingElseIsNoPart(range: String) {
        #expect(RequestedPart(range) == nil)
    }

    @Test func aPostThatSaysWhatItsUrlRepresentsIsStored() async throws {
        let lab = CacheLab()
        func post(_ headers: [(String, String)]) async throws {
            lab.answers(200, headers, body: "new")
            _ = try await lab.sender.send(try lab.request(.post))
            lab.answers(200, stored, body: "sent")
        }
        try await post(stored + [("Content-Location", "/a")])
        #expect(try await lab.get().text == "new")
        try await post([("Content-Location", "/a")])
        #expect(try await lab.get().text == "sent")
        try await post(stored + [("Content-Location", "/b")])
        #expect(try await lab.get().text == "sent")
        #expect(try await lab.get("/b").text == "sent")
    }
}
