import FoundationEssentials
import Glibc
import Models
import NodeCore
import ResponseProcessing
import UrlTransport

// Decoding, encoding and parsing against Foundation's coders and, where the script has built it, yyjson, and what
// decoding the large document needs of memory; then the targets and whether they were reached.

/// Measures one document.
func compare<Value: Codable & Sendable>(
    _ title: String, _ value: Value, decoding: Double, encoding: Double, seconds: Double, _ yyjson: Yyjson?
) throws -> [Target] {
    let data = try JsonEncoder().encode(value)
    let decoder = JsonDecoder()
    let encoder = JsonEncoder()
    let foundationDecoder = JSONDecoder()
    let foundationEncoder = JSONEncoder()
    let chain = VoidInputNode<Mapped<Value>>(next: BodyNode(data))
    let name = "\(title) (\(data.count) B)"
    let decode = try report(
        "decode \(name)", bytes: data.count, seconds: seconds,
        [
            Contender(name: "JSONDecoder") { blackHole(try foundationDecoder.decode(Value.self, from: data)) },
            Contender(name: "JsonDecoder") { blackHole(try decoder.decode(Value.self, from: data)) },
            Contender(name: "default chain") { chain.process(()).onCompleted { blackHole($0) } },
        ])
    let encode = try report(
        "encode \(name)", bytes: data.count, seconds: seconds,
        [
            Contender(name: "JSONEncoder") { blackHole(try foundationEncoder.encode(value)) },
            Contender(name: "JsonEncoder") { blackHole(try encoder.encode(value)) },
        ])
    var parsers = [Contender(name: "Json(parsing:)") { blackHole(try Json(parsing: data)) }]
    if let yyjson { parsers.insert(Contender(name: "yyjson_read") { yyjson.parse(data) }, at: 0) }
    let parse = try report("parse \(name)", bytes: data.count, seconds: seconds / 2, parsers)

    var targets: [Target] = [
        .atLeast(decoding, "decode \(title), times Foundation's speed", decode.ratio(of: 0, to: 1)),
        .atLeast(encoding, "encode \(title), times Foundation's speed", encode.ratio(of: 0, to: 1)),
    ]
    // The nodes' own time, less than 1 µs whatever the size, is not decoding; the table shows it for the small one.
    if data.count > 1000 {
        targets.append(.atMost(1.1, "decode \(title) in the chain, times JsonDecoder", decode.ratio(of: 2, to: 1)))
    }
    if yyjson != nil { targets.append(.atMost(2, "parse \(title), times yyjson's time", parse.ratio(of: 1, to: 0))) }
    return targets
}

/// A model as a user writes it.
struct Mapped<Value: Decodable & Sendable>: JsonDecodableModel {
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

/// Stands below the default chain's first node for what is not decoding, and parses the body as its last one does.
final class BodyNode: Node<RequestPayload, HttpResponse>, @unchecked Sendable {  // immutable state
    private let response: HttpResponse
    private let preprocessor = ResponseDataPreprocessorNode(next: ResponseDataParserNode())

    init(_ body: Data) {
        let request = HttpRequest(method: .get, url: URL(filePath: "/"))
        response = HttpResponse(request: request, statusCode: 200, data: body)
        super.init()
    }

    override func execute(_ data: RequestPayload) async throws -> HttpResponse {
        try await preprocessor.execute(response)
    }
}

var sample = Sample()
let arguments = CommandLine.arguments.dropFirst()
if let mode = arguments.first, let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
    let bytes = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 20_000
    if bytes < 1000 {
        try profile(mode, count, sample.small())
    } else {
        try profile(mode, count, sample.page(bytes: bytes))
    }
} else {
    let yyjson = Yyjson()
    if yyjson == nil { print("yyjson is not there: its row is left out. Scripts/benchmark-json.sh builds it.") }
    var targets = try compare("small", sample.small(), decoding: 3, encoding: 3, seconds: 3, yyjson)
    targets += try compare("medium", sample.page(bytes: 20_000), decoding: 4, encoding: 3, seconds: 4, yyjson)
    targets += try compare("large", sample.page(bytes: 5_000_000), decoding: 4, encoding: 3, seconds: 8, yyjson)
    targets.append(
        .atMost(3, "memory for decoding, times the document", try reportMemory(of: sample.page(bytes: 5_000_000))))
    print()
    for target in targets { target.report() }
    if !targets.allSatisfy(\.isReached) { exit(1) }
}

/// One thing many times, for a profiler.
func profile<Value: Codable & Sendable>(_ mode: String, _ count: Int, _ value: Value) throws {
    let data = try JsonEncoder().encode(value)
    let chain = VoidInputNode<Mapped<Value>>(next: BodyNode(data))
    let decoder = JsonDecoder()
    let encoder = JsonEncoder()
    let foundationDecoder = JSONDecoder()
    let foundationEncoder = JSONEncoder()
    for _ in 0..<count {
        switch mode {
        case "decode": blackHole(try decoder.decode(Value.self, from: data))
        case "chain": chain.process(()).onCompleted { blackHole($0) }
        case "encode": blackHole(try encoder.encode(value))
        case "foundation-decode": blackHole(try foundationDecoder.decode(Value.self, from: data))
        case "foundation-encode": blackHole(try foundationEncoder.encode(value))
        case "parse": blackHole(try Json(parsing: data))
        default: break
        }
    }
}
