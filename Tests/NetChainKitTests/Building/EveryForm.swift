import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs every form of a chain once, with a sender that answers all alike; each must give what it should.
struct EveryForm {
    typealias Form = MultipartModel<[String: Data]>

    /// How many there were, and how many of them read JSON.
    var count: Int { all.value }
    var readingJson: Int { reading.value }

    private let all = Counter()
    private let reading = Counter()
    private let town = Town(name: "Oslo")
    private let riga = Town(name: "Riga")
    private let form = Form(payloadModel: ["a": Data("1".utf8)])
    private let body = RequestBody.data(Data([1]))
    private let bytes = Data(#"{"townName": "Riga"}"#.utf8)
    private let folder: TestFolder
    private var file: URL { folder.place("answer.json") }

    init(of builder: UrlChainsBuilder<Route>) async throws {
        folder = try TestFolder()
        _ = builder.route(.post, .users).quiet().sender(ScriptedRequestSender(json: #"{"townName": "Riga"}"#))
        try await runPlain(builder)
        try await runBesideTheirAnswer(builder)
    }

    private func run<Input, Output>(_ chain: Node<Input, Output>, _ input: Input) async throws -> Output {
        all.add()
        return try await chain.execute(input)
    }

    private func read<Input, Output>(_ chain: Node<Input, Output>, _ input: Input) async throws -> Output {
        reading.add()
        return try await run(chain, input)
    }

    private func runPlain(_ builder: UrlChainsBuilder<Route>) async throws {
        #expect(try await read(builder.build() as Node<Town, Town>, town) == riga)
        #expect(try await read(builder.build() as Node<Void, Town>, ()) == riga)
        #expect(try await read(builder.build() as Node<Form, Town>, form) == riga)
        #expect(try await read(builder.build() as Node<RequestBody, Town>, body) == riga)
        try await run(builder.build() as Node<Town, Void>, town)
        try await run(builder.build() as Node<Void, Void>, ())
        try await run(builder.build() as Node<Form, Void>, form)
        try await run(builder.build() as Node<RequestBody, Void>, body)
        #expect(try await run(builder.loadData() as Node<Void, Data>, ()) == bytes)
        #expect(try await run(builder.loadData() as Node<Town, Data>, town) == bytes)
    }

    private func runBesideTheirAnswer(_ builder: UrlChainsBuilder<Route>) async throws {
        #expect(model(try await read(builder.build() as Node<Town, ApiResponse<Town>>, town)) == riga)
        #expect(model(try await read(builder.build() as Node<Void, ApiResponse<Town>>, ())) == riga)
        #expect(model(try await read(builder.build() as Node<Form, ApiResponse<Town>>, form)) == riga)
        #expect(model(try await read(builder.build() as Node<RequestBody, ApiResponse<Town>>, body)) == riga)
        #expect(model(try await run(builder.build() as Node<Void, ApiResponse<Data>>, ())) == bytes)
        #expect(model(try await run(builder.build() as Node<Town, ApiResponse<Data>>, town)) == bytes)
        try expect(model(try await run(builder.download(to: file) as Node<Void, ApiResponse<URL>>, ())))
        try expect(model(try await run(builder.download(to: file) as Node<Town, ApiResponse<URL>>, town)))
        try await expect(model(try await run(builder.stream() as Node<Void, ApiResponse<ByteStream>>, ())))
        try await expect(model(try await run(builder.stream() as Node<Town, ApiResponse<ByteStream>>, town)))
    }

    /// The model of an answer that has the scripted head.
    private func model<Model>(_ answer: ApiResponse<Model>) -> Model {
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "application/json")
        return answer.value
    }

    private func expect(_ downloaded: URL) throws {
        #expect(downloaded == file)
        #expect(try Data(contentsOf: file) == bytes)
        try FileManager.default.removeItem(at: file)
    }

    private func expect(_ stream: ByteStream) async throws {
        var received = Data()
        for try await chunk in stream { received.append(chunk) }
        #expect(received == bytes)
    }
}
