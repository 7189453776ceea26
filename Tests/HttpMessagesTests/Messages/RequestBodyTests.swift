import HttpMessages
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RequestBodyTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test func aBodyThatNoTransferCanSendIsRejected() throws {
        let file = URL(fileURLWithPath: "/dev/null")
        let body = RequestBody(segments: [.data(Data("--a".utf8)), .file(file, size: .max), .data(Data("--a--".utf8))])
        #expect(body.length == .max)
        let request = HttpRequest(method: .post, url: try #require(URL(string: "http://a.example")), body: body)
        #expect {
            try request.validate()
        } throws: { error in
            (error as? TransportError)?.reason == "the body is longer than any transfer"
        }
    }

    @Test func noBodyIsNotABodyOfNoBytes() throws {
        #expect(RequestBody.empty.isEmpty)
        #expect(!RequestBody.data(Data()).isEmpty)
        #expect(RequestBody.data(Data()).length == 0)
        #expect(RequestBody.empty.inMemory == Data())
    }

    @Test func aFilesSizeIsKnownAndItsBytesAreNotInMemory() throws {
        let body = try RequestBody.file(try folder.file("a", Array("12345".utf8)))
        #expect(body.length == 5)
        #expect(body.inMemory == nil)
        #expect(try body.read() == Data("12345".utf8))
    }

    @Test func aPartOfAFileIsABodyOfItsOwn() throws {
        let file = try folder.file("a", Array("12345".utf8))
        let part = try RequestBody.file(file, range: 1..<4)
        #expect((part.length, part.inMemory, part.file == nil, part.isEmpty) == (3, nil, true, false))
        #expect(try part.read() == Data("234".utf8))
        #expect(try RequestBody.file(file, range: 5..<5).read() == Data())
        #expect(try RequestBody.file(file, range: 5..<5).isEmpty == false)
        #expect(try RequestBody.file(file, range: 0..<5).file?.size == 5)
        for range in [-1..<2, 4..<6, 6..<6] as [Range<Int64>] {
            let error = thrown(RequestBuildingError.self) { try RequestBody.file(file, range: range) }
            #expect(error?.code == .unreadableFile)
            #expect(error?.description == "\(file.path) has 5 bytes, so its range \(range) can't be uploaded.")
        }
        #expect(try RequestBody.file(file, range: 1...3).read() == Data("234".utf8))
        #expect(try RequestBody.file(file, range: 3...).read() == Data("45".utf8))
        #expect(try RequestBody.file(file, range: 5...).read() == Data())
        for range in [-1...2, 4...5, 0...Int64.max] as [ClosedRange<Int64>] {
            let error = thrown(RequestBuildingError.self) { try RequestBody.file(file, range: range) }
            #expect(error?.description == "\(file.path) has 5 bytes, so its range \(range) can't be uploaded.")
        }
        for first in [-1, 6, Int64.max] as [Int64] {
            let error = thrown(RequestBuildingError.self) { try RequestBody.file(file, range: first...) }
            #expect(error?.description == "\(file.path) has 5 bytes, so its range \(first)... can't be uploaded.")
        }
        #expect(thrown(RequestBuildingError.self) { try RequestBody.file(file, range: UInt64.max...) } != nil)
        try Data("1234".utf8).write(to: file)
        let error = thrown(RequestBuildingError.self) { try part.read() }
        #if os(Linux)
        #expect(error?.description == "\(file.path) changed its size, 4 bytes now, 5 before.")
        #else
        #expect(error?.description == "\(file.path) has changed its size, so it can't be uploaded.")
        #endif
    }

    @Test func aLinkToAFileIsThatFile() throws {
        let file = try folder.file("a", Array("12345".utf8))
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(try RequestBody.file(link).length == 5)
    }

    @Test func aFolderIsNoFile() throws {
        let error = thrown(RequestBuildingError.self) { try RequestBody.file(folder.url) }
        #expect(error?.code == .unreadableFile)
        #expect(error?.description == "\(folder.url.path) is not a regular file, so it can't be uploaded.")
    }

    @Test func aMissingFileIsAnErrorWithTheSystemsCause() throws {
        let error = thrown(RequestBuildingError.self) {
            try RequestBody.file(folder.url.appending(path: "missing"))
        }
        #expect(error?.code == .unreadableFile)
        #expect(error?.cause != nil)
    }

    @Test func aUrlOfTheNetIsNoFile() throws {
        let file = try folder.file("a", [1])
        let url = try #require(URL(string: "https://bob:hunter2@a.example\(file.path)?access_token=hunter2"))
        let error = thrown(RequestBuildingError.self) { try RequestBody.file(url) }
        #expect(error?.code == .unreadableFile)
        let masked = "https://***@a.example\(file.path)?access_token=***"
        #expect(error?.description == "\(masked) is no file URL, so it can't be uploaded.")
    }
}
