import NetChainKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx, .httpbin))
struct MultipartTests {
    private func parsed(_ form: MultipartModel<[String: Data]>) async throws -> Anything {
        try await request(.post, .httpbin, "/anything").build().execute(form)
    }

    /// The body to the byte, with the boundary replaced by B.
    private func body(_ form: MultipartModel<[String: Data]>) async throws -> String {
        let sender = try RecordingSender()
        let chain: Node<MultipartModel<[String: Data]>, Void> = try request(.post, .nginx, "/raw-body")
            .sender(sender).build()
        try await chain.execute(form)
        let response = try #require(sender.responses.first)
        let type = try #require(response.request.headers["Content-Type"])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(type == "multipart/form-data; boundary=\(boundary)")
        #expect(boundary.count <= 70)
        return String(decoding: response.data, as: UTF8.self).replacing(boundary, with: "B")
    }

    @Test func fieldsArriveWithTheirNamesAndValues() async throws {
        let values: [(String, String)] = [
            ("plain", "text"), ("with \"quotes\"", "\"q\""), ("имя 🦁", "Лев Ω 🦁"), ("semi;colon=", "a;b=c"),
            ("lines", "one\r\ntwo\n--three--\r\n"), ("empty", ""), ("backslash", "\\"),
        ]
        var form = MultipartModel(fields: [:])
        for (name, value) in values { form.append(value, name: name) }
        let answer = try await parsed(form)
        #expect(answer.form == Dictionary(uniqueKeysWithValues: values.map { ($0.0, Json($0.1)) }))
        #expect(answer.files == [:])
    }

    @Test func aNameCanNotBreakOutOfItsHeader() async throws {
        let name = "a\"; filename=\"b\"\r\nX-Evil: 1\r\n\r\nevil"
        let answer = try await parsed(MultipartModel(fields: [.init(name): "value"]))
        #expect(answer.files == [:])
        #expect(answer.form.count == 1)
        #expect(answer.form.values.first == "value")
        let text = try await body(MultipartModel(fields: [.init(name): "value"]))
        let escaped = "a%22; filename=%22b%22%0D%0AX-Evil: 1%0D%0A%0D%0Aevil"
        #expect(text == "--B\r\nContent-Disposition: form-data; name=\"\(escaped)\"\r\n\r\nvalue\r\n--B--\r\n")
    }

    @Test func aFieldMayComeSeveralTimes() async throws {
        let answer = try await parsed(MultipartModel(fields: ["tag": "sea", "tag": "sun", "tag": "sea"]))
        #expect(answer.form == ["tag": ["sea", "sun", "sea"]])
    }

    @Test func filesArriveFromDiskAndFromMemory() async throws {
        let file = try TemporaryFile("photo \"1\".jpg", Data([0xFF, 0xD8, 0xFF, 0x00, 0x0D, 0x0A]))
        let form = MultipartModel(
            payloadModel: ["title": Data("Two files".utf8)],
            files: [
                "disk": .url(url: file.url), "memory": .data(data: Data("notes\n".utf8), filename: "заметки.txt"),
                "none": .data(data: Data(), filename: "empty.bin"),
            ])
        let answer = try await parsed(form)
        #expect(answer.form == ["title": "Two files"])
        #expect(
            answer.files == [
                "disk": "data:image/jpeg;base64,/9j/AA0K", "memory": "notes\n",
                "none": "",
            ])
    }

    @Test func namesAndTypesOfFilesAreOnTheWire() async throws {
        let file = try TemporaryFile("photo \"1\".jpg", Data("jpeg".utf8))
        let form = MultipartModel(
            payloadModel: [String: Data](),
            files: [
                "file": .url(url: file.url), "file": .data(data: Data("a,b".utf8), filename: "ü.csv"),
                "file": .data(data: Data("{}".utf8), filename: "x", mimetype: "application/json"),
            ])
        let expected = """
            --B
            Content-Disposition: form-data; name="file"; filename="photo %221%22.jpg"
            Content-Type: image/jpeg

            jpeg
            --B
            Content-Disposition: form-data; name="file"; filename="ü.csv"
            Content-Type: text/csv

            a,b
            --B
            Content-Disposition: form-data; name="file"; filename="x"
            Content-Type: application/json

            {}
            --B--

            """
        #expect(try await body(form) == expected.replacing("\n", with: "\r\n"))
    }

    @Test func aLargeFileIsSentWithItsLengthAndProgress() async throws {
        let file = try TemporaryFile("blob.bin", blob)
        let seen = Recorder<TransferProgress>()
        let form = MultipartModel(payloadModel: [String: Data](), files: ["file": .url(url: file.url)])
        let sender = try RecordingSender()
        let answer: Anything = try await request(.post, .httpbin, "/anything")
            .onProgress { seen.append($0) }.sender(sender).build().execute(form)
        let length = try #require(sender.responses.first?.request.body.length)
        #expect(length > blob.count)
        #expect(answer.headers["Content-Length"] == "\(length)")
        #expect(answer.files["file"]?.string == "data:application/octet-stream;base64," + blob.base64EncodedString())
        #expect(seen.values.last?.sent == length)
        #expect(seen.values.allSatisfy { $0.totalToSend == length })
        #expect(seen.values.map(\.sent) == seen.values.map(\.sent).sorted())
    }
}
