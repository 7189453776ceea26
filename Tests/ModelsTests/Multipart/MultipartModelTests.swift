import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PhotoUpload: RawEncodable, DTOEncodable {
    typealias Raw = MultipartModel<[String: Data]>
    typealias DTO = PhotoUpload

    let title: String
    let image: Data

    func toRaw() throws -> MultipartModel<[String: Data]> {
        MultipartModel(
            payloadModel: .init(fields: ["title": title, "year": 2026]),
            files: ["photo": .data(data: image, filename: "a.JPG")])
    }
}

/// What the builder asks for.
private func parts<Model: DTOEncodable>(of model: Model) throws -> [MultipartPart]
where Model.DTO.Raw == MultipartModel<[String: Data]> {
    try model.toDTO().toRaw().parts
}

struct MultipartModelTests {
    @Test func aModelCanBeSentAsAForm() throws {
        let parts = try parts(of: PhotoUpload(title: "Sea", image: Data([1, 2])))
        #expect(
            parts == [
                MultipartPart(name: "title", content: .data(Data("Sea".utf8))),
                MultipartPart(name: "year", content: .data(Data("2026".utf8))),
                MultipartPart(
                    name: "photo", filename: "a.JPG", contentType: "image/jpeg", content: .data(Data([1, 2]))),
            ])
    }

    @Test func theFormItselfIsAModel() throws {
        var form = MultipartModel(fields: ["b": 1, "a": true, "b": 2.5, "c": Data([0])])
        form.append("x", name: "a")
        let file = URL(filePath: "/tmp/report.pdf")
        form.append(.url(url: file), name: "doc")
        let parts = try parts(of: form)
        #expect(parts.map(\.name) == ["b", "a", "b", "c", "a", "doc"])
        let contents: [MultipartPart.Content] =
            ["1", "true", "2.5", "\0", "x"].map { .data(Data($0.utf8)) } + [.file(file)]
        #expect(parts.map(\.content) == contents)
        #expect(parts[5].filename == "report.pdf")
        #expect(parts[5].contentType == "application/pdf")
    }

    @Test func aFieldMayNameItsType() {
        var form = MultipartModel(fields: ["title": "Sea"])
        form.append(Data("{}".utf8), name: "settings", contentType: "application/json")
        #expect(form.parts.map(\.contentType) == [nil, "application/json"])
        #expect(form.parts.map(\.filename) == [nil, nil])
    }

    @Test func filesKeepTheirOrderAndMayShareAName() {
        let form = MultipartModel<[String: Data]>(
            payloadModel: [:],
            files: [
                "file": .data(data: Data(), filename: "z.txt"), "file": .data(data: Data(), filename: "a.txt"),
                "another": .data(data: Data(), filename: "m.txt"),
            ])
        #expect(form.parts.map(\.filename) == ["z.txt", "a.txt", "m.txt"])
        #expect(form.parts.map(\.name) == ["file", "file", "another"])
    }

    @Test func filesOfADictionaryStandInTheOrderOfTheirNames() {
        let form = MultipartModel<[String: Data]>(
            payloadModel: ["z": Data()],
            filesByName: [
                "b": .data(data: Data(), filename: "1.txt"), "a": .data(data: Data(), filename: "2.txt"),
                "c": .data(data: Data(), filename: "3.txt"),
            ])
        #expect(form.parts.map(\.name) == ["z", "a", "b", "c"])
    }

    @Test(arguments: [
        ("a.png", "image/png"), ("A.PNG", "image/png"), ("archive.tar.gz", "application/gzip"),
        ("a.json", "application/json"),
        ("a", "application/octet-stream"), ("a.unknown", "application/octet-stream"), ("", "application/octet-stream"),
        ("dot.", "application/octet-stream"), (".svg", "image/svg+xml"),
    ])
    func theMediaTypeIsGuessedFromTheExtension(filename: String, type: String) {
        #expect(MultipartPart(name: "f", file: .data(data: Data(), filename: filename)).contentType == type)
    }

    @Test func aGivenNameAndMediaTypeCount() {
        let url = URL(filePath: "/tmp/report.pdf")
        let part = MultipartPart(name: "f", file: .url(url: url, filename: "b.bin", mimetype: "text/x-own"))
        #expect(part.filename == "b.bin")
        #expect(part.contentType == "text/x-own")
    }
}
